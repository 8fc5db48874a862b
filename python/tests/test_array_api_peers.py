"""Libraries that take arrays of any library by the array API standard take ours."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu
compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")


def arrays() -> tuple[Any, Any]:
    values = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 2.0]])
    return lw.asarray(values), values


def test_compat() -> None:
    x, values = arrays()
    assert compat.array_namespace(x) is compat.array_namespace(x, x[0]) is lw.array_api
    assert compat.is_array_api_obj(x) and not compat.is_numpy_array(x)
    assert compat.size(x) == 6 and compat.device(x) is x.device
    there = compat.to_device(x, lw.device("ref"))
    assert there.device.name == "ref"
    np.testing.assert_array_equal(there.numpy(), values)
    with pytest.raises(TypeError):
        compat.array_namespace(x, values)


EXTRA = {
    "nan_to_num": lambda e, x: e.nan_to_num(x), "pad": lambda e, x: e.pad(x, 1),
    "atleast_nd": lambda e, x: e.atleast_nd(x[0], ndim=3), "sinc": lambda e, x: e.sinc(x),
    "expand_dims": lambda e, x: e.expand_dims(x, axis=(0, 3)),
    "isclose": lambda e, x: e.isclose(x, x + 1e-12), "nunique": lambda e, x: e.nunique(x[1]),
    "cov": lambda e, x: e.cov(x[:, ::2]), "one_hot": lambda e, x: e.one_hot(
        e.at(x, (0, 1)).set(0.0)[0].astype("int64"), num_classes=4),
    "at_add": lambda e, x: e.at(x)[0, :].add(2.0),
    "setdiff1d": lambda e, x: e.setdiff1d(x[1], x[1, :2]),
    "create_diagonal": lambda e, x: e.create_diagonal(x[1]),
    "apply_where": lambda e, x: e.apply_where(x > 2, x, lambda a: a * 2, fill_value=0.0),
}


@pytest.mark.parametrize("name", EXTRA)
def test_extra(name: str) -> None:
    extra = pytest.importorskip("array_api_extra", reason="array-api-extra is not installed")
    x, values = arrays()
    got, wanted = EXTRA[name](extra, x), EXTRA[name](extra, values)
    assert isinstance(got, lw.Array) and got.shape == wanted.shape and got.dtype == wanted.dtype
    np.testing.assert_allclose(got.numpy(), wanted)


@pytest.mark.full
@pytest.mark.parametrize("package, number", [("scipy", 20), ("sklearn", 18)])
def test_dispatch(package: str, number: int) -> None:
    """In a process of its own: SciPy reads SCIPY_ARRAY_API when it is imported."""
    pytest.importorskip(package, reason=f"{package} is not installed")
    done = subprocess.run([sys.executable, str(Path(__file__).parent / "dispatch.py"), package],
                          env=dict(os.environ, SCIPY_ARRAY_API="1", PYTHONWARNINGS="ignore"),
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == f"{number} agree\n", done.stderr
