"""Operations of Lanewise in JAX: under jit, vmap, grad and shard_map, on the CPU and on CUDA.

Every ready-made operation is here under its name, with lanewise's arguments. `register` makes a
function for JAX of an own operation. docs/frameworks.md explains it.

>>> import jax, jax.numpy as jnp, lanewise.jax as lwj
>>> jax.jit(lwj.softmax)(jnp.zeros(4, "float32"))
Array([0.25, 0.25, 0.25, 0.25], dtype=float32)
"""
import functools
from typing import Any, Callable, Sequence

import lanewise as _lw

try:
    import jax as _jax
except ImportError as _error:
    raise ImportError("lanewise.jax needs JAX 0.7 or newer: pip install 'jax>=0.7'") from _error
if _jax.__version_info__ < (0, 7):
    raise ImportError(f"lanewise.jax needs JAX 0.7 or newer, this one is {_jax.__version__}: "
                      "pip install --upgrade jax")

from . import _jax as _bridge, _jax_batch, _jax_gradients, _maps, _operations
from ._custom import Op, _custom as _own_operations
from ._errors import ArgumentError, UnsupportedError

_METHODS = ("sequential", "expand_dims", "broadcast_all")
_OPERATIONS = [*_operations.__all__, *_maps.__all__]

Backward = Callable[..., Sequence[Any]]
__all__ = ["register", *_OPERATIONS]


def _has_gradient(dtype: Any) -> bool:
    return bool(_jax.numpy.issubdtype(dtype, _jax.numpy.inexact))


class Registered:
    """A function for JAX. Made by register; its arrays may be traced."""

    def __init__(self, name: str, function: Callable[..., Any], vmap_method: str,
                 backward: Backward | None) -> None:
        functools.update_wrapper(self, function, updated=())
        self.name = _bridge.unique_name(name, function)
        self._function, self._vmap_method, self._backward = function, vmap_method, backward
        self._calls: dict[str, Callable[..., Any]] = {}  # by the key of the recipe

    def __repr__(self) -> str:
        return f"<lanewise.jax: {self.name}>"

    def __call__(self, *args: Any, **words: Any) -> Any:
        for word in ("stream", "out"):
            if words.get(word) is not None:
                raise ArgumentError(f"{self.name}: JAX's arrays take no {word}=")
        arguments = _bridge.Arguments(args, words)
        arrays = arguments.arrays
        recipe = _bridge.recipe_of(self.name, self._function, arguments)
        call = self._calls.get(recipe.key)
        if call is None:
            call = self._calls[recipe.key] = self._transformable(arguments, recipe)
        results = call(*_bridge.varying_alike(arrays))
        return results if recipe.is_tuple else results[0]

    # ---- what JAX's transformations make of a call ----

    def _transformable(self, arguments: _bridge.Arguments,
                       recipe: _bridge.Recipe) -> Callable[..., Any]:
        """The call of a recipe with a rule for vmap, and one for gradients."""
        call = _jax.custom_batching.custom_vmap(recipe.bind)

        @call.def_vmap
        def batched(size: int, flags: list[bool], *arrays: Any) -> tuple[Any, Any]:
            results = self._batched(arguments, recipe, size, flags, arrays)
            return results, tuple(True for _ in results)

        differentiable = _jax.custom_vjp(call)
        differentiable.defvjp(lambda *arrays: self._forward(recipe, call, arrays),
                              lambda kept, slopes: self._pull_back(arguments, kept, slopes))
        arguments.arrays = []  # they may be tracers, which must not outlive the trace
        return _jax.jit(differentiable, inline=True)  # so a call outside of jit is traced once

    def _batched(self, arguments: _bridge.Arguments, recipe: _bridge.Recipe, size: int,
                 flags: Sequence[bool], arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The results for all of a batch, whose axis is the first."""
        rule = _jax_batch.RULES.get(self._function)
        if rule is not None:
            args, words = arguments.filled([_jax_batch.Lane(a, f) for a, f in zip(arrays, flags)])
            result = _jax_batch.apply(rule, self, self._function, args, words, size)
            if result is not None:
                return (result,)
        elif self._vmap_method != "sequential":
            spread = size if self._vmap_method == "broadcast_all" else 1
            whole = [a if f else _jax.numpy.broadcast_to(a, (spread, *a.shape))
                     for a, f in zip(arrays, flags)]
            args, words = arguments.filled(whole)
            results = self(*args, **words)
            return tuple(results) if isinstance(results, tuple) else (results,)
        moving = [a for a, f in zip(arrays, flags) if f]

        def one(values: list[Any]) -> tuple[Any, ...]:
            left = iter(values)
            return self._calls[recipe.key](*(next(left) if f else a for a, f in zip(arrays, flags)))

        return _jax.lax.map(one, moving)

    def _forward(self, recipe: _bridge.Recipe, call: Callable[..., Any],
                 arrays: tuple[Any, ...]) -> tuple[Any, Any]:
        is_flat = not any(_has_gradient(o.dtype) for o in recipe.outputs)
        known = self._backward or self._function in _jax_gradients.FORMULAS
        if not known and not is_flat:
            raise UnsupportedError(f"{self.name} has no gradient; give one by "
                                   "lanewise.jax.register(op, backward=...) or jax.custom_vjp")
        results = call(*arrays)
        return results, None if is_flat else (arrays, results)

    def _pull_back(self, arguments: _bridge.Arguments, kept: Any,
                   slopes: Sequence[Any]) -> tuple[Any, ...]:
        count = len(_slots(arguments))
        if kept is None:
            return (None,) * count
        arrays, results = kept
        if self._backward is None:
            formula = _jax_gradients.FORMULAS[self._function]
            return _jax_gradients.gradients(formula, arguments, arrays, tuple(slopes))
        words = {name: value for name, value in arguments.words.items()
                 if not isinstance(value, _bridge.Slot)}
        given = tuple(self._backward(arrays, results, tuple(slopes), **words))
        if len(given) != count:
            raise ArgumentError(f"{self.name}: backward gave {len(given)} gradients; need one, or "
                                f"None, for each of {count} arrays")
        return given


def _slots(arguments: _bridge.Arguments) -> list[Any]:
    return [a for a in (*arguments.args, *arguments.words.values()) if isinstance(a, _bridge.Slot)]


def register(op: Op | str | Callable[..., Any], *, vmap_method: str = "sequential",
             backward: Backward | None = None) -> Callable[..., Any]:
    """A function for JAX of an operation: one made by lanewise.op, the name of any, or a Python
    function that calls operations and gives their results.

    Its arrays (positional or by keyword) may be traced; everything else is a parameter, fixed when
    it is traced. It is recorded as a graph for each set of types and parameters, so it must not
    look at values nor write its inputs. Results have the operation's dtypes; those of 64 bits are
    narrowed unless jax_enable_x64 is set.

    vmap_method is JAX's: "sequential" calls the operation for one element of the batch after the
    other; with "expand_dims" and "broadcast_all" the operation takes a leading batch axis itself,
    of 1 or of the batch's size where an input is not batched. backward(inputs, outputs, gradients,
    **parameters) takes three tuples and gives the gradient of each input, or None for 0.

    Raises ArgumentError for what is no operation, and as the operation itself while it is traced;
    UnsupportedError if a gradient is asked for that is not there. What goes wrong while it runs is
    JAX's JaxRuntimeError with the library's text.

    >>> import jax, jax.numpy as jnp, lanewise.jax as lwj
    >>> @lw.op("doc::cube")
    ... def cube(x):
    ...     return lw.map("a * a * a", x)
    >>> f = lwj.register(cube, backward=lambda inputs, outputs, gradients: (
    ...     3 * inputs[0] ** 2 * gradients[0],))
    >>> jax.jit(jax.grad(f))(jnp.float32(2))
    Array(12., dtype=float32)
    """
    if vmap_method not in _METHODS:
        raise ArgumentError(f"vmap_method is {vmap_method!r}; need one of {', '.join(_METHODS)}")
    if isinstance(op, str):
        if op in _OPERATIONS:
            return Registered(op, getattr(_lw, op), vmap_method, backward)
        if op not in _lw.ops():
            _lw.custom(op)  # says which names are near
        if op not in _own_operations:
            return Registered(op, functools.partial(_by_name, op), vmap_method, backward)
        op = _own_operations[op]
    if not callable(op):
        raise ArgumentError(f"register: {op!r} is no operation, name of one, or function")
    name = op.name if isinstance(op, Op) else getattr(op, "__name__", type(op).__name__)
    return Registered(name, op, vmap_method, backward)


def _by_name(name: str, *inputs: Any, **parameters: Any) -> Any:
    return _lw.custom(name, *inputs, parameters=parameters)


_bridge.register_handlers()
_made: dict[str, Registered] = {}


def __getattr__(name: str) -> Any:
    if name not in _OPERATIONS:
        raise AttributeError(f"module 'lanewise.jax' has no attribute '{name}'")
    if name not in _made:
        _made[name] = Registered(name, getattr(_lw, name), "sequential", None)
    return _made[name]


def __dir__() -> list[str]:
    return sorted(__all__)
