"""Operations over ranks: threads of this process. Results have the bits of one rank."""
from __future__ import annotations

import threading
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

SIZE = 3
N = 10_000
CUTS = [[0, 3333, 6666, N], [0, 1111, 1111, N], [0, 100, 900, N], [0, 0, N, N]]


def on_ranks(work: Callable[[lw.dist.Comm, int], Any], devices: list[str]) -> list[Any]:
    """What the function gives or raises on each rank."""
    comms = lw.dist.devices(devices)
    results: list[Any] = [None] * len(comms)

    def run(rank: int) -> None:
        try:
            results[rank] = work(comms[rank], rank)
        except lw.Error as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(len(comms))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def values(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


X, Y = values(1, N), values(2, N)
Q, K, V = values(3, 20, 8), values(4, N, 8), values(5, N, 4)
D = lw.dist

# What each rank computes from its elements a up to b, and what the whole is; True: a part of it
OPERATIONS: dict[str, tuple[Any, Any, bool]] = {
    "dot": (lambda c, a, b: D.dot(c, X[a:b], Y[a:b], part=(N, a)), lambda: lw.dot(X, Y), False),
    "dot f64": (lambda c, a, b: D.dot(c, X[a:b], Y[a:b], part=(N, a), dtype="f8"),
                lambda: lw.dot(X, Y, dtype="f8"), False),
    "sum": (lambda c, a, b: D.sum(c, K[a:b], part=(N, a)), lambda: lw.sum(K), False),
    "sum of an axis": (lambda c, a, b: D.sum(c, K[a:b], part=(N, a), axis=0, keepdims=True),
                       lambda: lw.sum(K, axis=0, keepdims=True), False),
    "mean": (lambda c, a, b: D.mean(c, K.T[:, a:b], part=(N, a), axis=1),
             lambda: lw.mean(K.T, axis=1), False),
    "max": (lambda c, a, b: D.max(c, X[a:b], part=(N, a)), lambda: lw.max(X), False),
    "argmax": (lambda c, a, b: D.argmax(c, X[a:b], part=(N, a)), lambda: lw.argmax(X), False),
    "scan": (lambda c, a, b: D.scan(c, X[a:b], part=(N, a), exclusive=True),
             lambda: lw.scan(X, exclusive=True), True),
    "scan of maxima": (lambda c, a, b: D.scan(c, K[a:b], part=(N, a), axis=0, op="max"),
                       lambda: lw.scan(K, axis=0, op="max"), True),
    "softmax": (lambda c, a, b: D.softmax(c, X[a:b], part=(N, a)), lambda: lw.softmax(X), True),
    "layer_norm": (lambda c, a, b: D.layer_norm(c, X[a:b], part=(N, a), bias=Y[a:b], eps=1e-3),
                   lambda: lw.layer_norm(X, weight=np.ones(N, "f4"), bias=Y, eps=1e-3), True),
    "matmul": (lambda c, a, b: D.matmul(c, K[a:b], Q.T, part=(N, a)), lambda: lw.matmul(K, Q.T),
               True),
    "attention": (lambda c, a, b: D.attention(c, Q, K[a:b], V[a:b], part=(N, a), causal=True,
                                              window=3000, scale=0.5),
                  lambda: lw.attention(Q, K, V, causal=True, window=3000, scale=0.5), False),
    "gather": (lambda c, a, b: D.gather(c, K[a:b], part=(N, a)), lambda: K, False),
    "scatter": (lambda c, a, b: D.scatter(c, K if c.rank == 0 else K[:0], part=(N, a, b - a)),
                lambda: K, True),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_the_bits_of_one_rank(name: str, cuts: list[int]) -> None:
    work, whole, is_part = OPERATIONS[name]
    results = on_ranks(lambda c, r: work(c, cuts[r], cuts[r + 1]), ["cpu", "ref", "cpu"])
    need = whole()
    if is_part:
        results = [np.concatenate(results)]
    for result in results:
        assert np.array_equal(result, need) and result.dtype == need.dtype


def test_arrays_in_arrays_out() -> None:
    comm = D.devices(["cpu"])[0]
    assert (comm.rank, comm.size, comm.device.name) == (0, 1, "cpu")
    result = D.softmax(comm, lw.asarray(X, device="cpu"), part=(N, 0))
    assert isinstance(result, lw.Array)
    assert np.array_equal(result.numpy(), lw.softmax(X))


def test_an_error_of_one_rank_is_one_of_all() -> None:
    def work(comm: D.Comm, rank: int) -> Any:
        return D.sum(comm, np.ones(5), part=(15, 5 * rank + (rank == 1)))

    for error in on_ranks(work, ["cpu"] * SIZE):
        assert isinstance(error, lw.ArgumentError)
        assert str(error).startswith("rank 1 has elements 6 to 11 of 15")


def test_a_rank_that_does_not_come() -> None:
    def work(comm: D.Comm, rank: int) -> Any:
        comm.set_limit(0.2)
        return None if rank == 1 else D.sum(comm, np.ones(5), part=(15, 5 * rank))

    results = on_ranks(work, ["cpu"] * SIZE)
    assert [type(r) for r in results] == [lw.TimeoutError, type(None), lw.TimeoutError]
    assert str(results[0]) == "rank 0 of 3: rank 1 did not answer within 0.2 s"


def test_what_is_refused() -> None:
    comm = D.devices(["cpu"])[0]
    with pytest.raises(lw.ArgumentError, match="need seconds"):
        comm.set_limit(-1)
    with pytest.raises(lw.ArgumentError, match="has no axis 3"):
        D.sum(comm, X, part=(N, 0), axis=3)
    with pytest.raises(lw.ArgumentError, match="need fixed or free"):
        D.sum(comm, X, part=(N, 0), sum="fast")  # type: ignore[arg-type]
    with pytest.raises(lw.ArgumentError, match="global, first, count"):
        D.scatter(comm, X, part=(N, 0))  # type: ignore[arg-type]
    with pytest.raises(lw.ArgumentError, match="1 devices|0 devices"):
        D.devices([])
