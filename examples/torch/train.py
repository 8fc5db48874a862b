"""train.py - train a model whose softmax is Lanewise's, and whose backward is another operation.

    train.py [cpu|cuda]

The model learns to choose, for each of 256 queries, one of 12 vectors. It is trained a second time
with PyTorch's softmax: the losses agree. Without a word it is on the GPU if there is one. The exit
status is 1 if it does not learn, or the losses differ.
"""
import sys

import torch

import lanewise as lw
import lanewise.torch

SOURCE = """
#include <lanewise/kernel.h>

/* dx = y * (dy - sum of y dy), for each row; a block has one. */
KERNEL void softmax_backward(TENSOR(float, 2) dx, CONST_TENSOR(float, 2) y,
                             CONST_TENSOR(float, 2) dy)
{
    int row = block_idx.x, columns = extent(y, 1);
    float sum = 0;
    for (int c = thread_idx.x; c < columns; c += block_dim.x)
        sum += at(y, row, c) * at(dy, row, c);
    sum = block_sum(sum);
    for (int c = thread_idx.x; c < columns; c += block_dim.x)
        at(dx, row, c) = at(y, row, c) * (at(dy, row, c) - sum);
}
"""


@lw.op("example::softmax")
def softmax(x):
    return lw.softmax(x)


@lw.op("example::softmax_backward", source=SOURCE, infer=lambda y, dy: y)
def softmax_backward(s, dx, y, dy):
    softmax_backward.program.softmax_backward[y.shape[0], 64, s](dx, y, dy)


def save(ctx, inputs, output):
    ctx.save_for_backward(output)


def backward(ctx, dy):
    return torch_backward(ctx.saved_tensors[0], dy)


torch_softmax = lanewise.torch.register(softmax)
torch_backward = lanewise.torch.register(softmax_backward)
torch_softmax.register_autograd(backward, setup_context=save)

device = sys.argv[1] if len(sys.argv) > 1 else "cuda" if torch.cuda.is_available() else "cpu"


def train(softmax, steps=60):
    """The loss of each step."""
    torch.manual_seed(3)
    queries, vectors = torch.randn(256, 16), torch.randn(12, 16)
    wanted = (queries @ torch.randn(16, 16) @ vectors.T).argmax(1).to(device)
    queries, vectors = queries.to(device), vectors.to(device)
    model = torch.nn.Linear(16, 16).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        weights = softmax(model(queries) @ vectors.T)
        loss = -weights[torch.arange(256), wanted].clamp_min(1e-9).log().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


ours, theirs = train(torch_softmax), train(lambda x: torch.softmax(x, dim=1))
for step in range(0, 60, 12):
    print(f"step {step:2}: loss {ours[step]:.4f}, with PyTorch's softmax {theirs[step]:.4f}")
difference = max(abs(a - b) for a, b in zip(ours, theirs))
print(f"loss {ours[0]:.3f} to {ours[-1]:.3f} on {device}; largest difference {difference:.1e}")
sys.exit(0 if ours[-1] < ours[0] / 4 and difference < 1e-3 else 1)
