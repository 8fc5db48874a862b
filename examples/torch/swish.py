"""swish.py - an operation with a kernel of its own, as an operator of PyTorch.

    swish.py [cpu|cuda]

It is run at once, by torch.compile, and, on a GPU, by a CUDA graph. Without a word the tensors are
on the GPU if there is one. The exit status is 1 if PyTorch's own operations say something else.
"""
import sys

import torch

import lanewise as lw
import lanewise.torch

SOURCE = """
#include <lanewise/kernel.h>

KERNEL void swish(size_t n, float out[n], const float x[n], float beta)
{
    for (size_t i = global_idx.x; i < n; i += (size_t)block_dim.x * grid_dim.x)
        out[i] = x[i] / (1 + exp(-beta * x[i]));
}
"""


@lw.op("example::swish", parameters="beta:real=1", source=SOURCE, infer=lambda x, beta: x)
def swish(s, out, x, beta):
    n = x.size
    swish.program.swish[max(1, min(1024, n // 128)), 128, s](n, out, x, beta)


torch_swish = lanewise.torch.register(swish)

device = sys.argv[1] if len(sys.argv) > 1 else "cuda" if torch.cuda.is_available() else "cpu"
x = torch.linspace(-4, 4, 1001, device=device)
expected = x * torch.sigmoid(2 * x)
worst = 0.0


def show(name, got):
    global worst
    difference = (got - expected).abs().max().item()
    worst = max(worst, difference)
    print(f"{name}: largest difference {difference:.1e}")


show("at once", torch_swish(x, beta=2.0))

compiled = torch.compile(lambda x: torch_swish(x + 0, beta=2.0), fullgraph=True,
                         backend="aot_eager")
show("compiled", compiled(x))

if device != "cpu":
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch_swish(x, beta=2.0)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = torch_swish(x, beta=2.0)
    graph.replay()
    show("a CUDA graph", out)

torch.library.opcheck(torch_swish, (x,))
print(f"opcheck finds nothing, on {x.device}")
sys.exit(0 if worst < 1e-5 else 1)
