"""What one would write without attncli: the last layer's attention by torch and transformers.

python tests/benchmarks/torch_attention.py FOLDER SENTENCE
"""

import sys

import torch
from transformers import AutoModel, AutoTokenizer

folder, sentence = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
inputs = tokenizer(sentence, return_tensors="pt")
with torch.no_grad():
    A = model(**inputs, output_attentions=True).attentions[-1][0]
print(tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]))
torch.set_printoptions(profile="full", precision=2)
for head, weights in enumerate(A):
    print(f"head {head}\n{weights}")
