"""Lanewise: GPU-style kernels in plain C, and ready-made operations, on NumPy's arrays.

>>> import numpy as np, lanewise as lw
>>> lw.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
np.float64(11.0)
"""
import numpy as _np

from . import _core, _dtypes, _elementwise, _errors, _ranks
from ._array import Array, asarray, empty, from_dlpack, full, zeros
from ._array import convert as _convert, deliver as _deliver
from ._check import Report, check
from ._core import Device, Kernel, Stream
from ._creation import *  # noqa: F403
from ._custom import Op, TensorType, custom, op, ops
from ._devices import _default as _defaults
from ._elementwise import *  # noqa: F403
from ._devices import (DeviceInfo, default_device, device, devices, stream, synchronize)
from ._dims import Dim
from ._dtypes import bfloat16
from ._errors import (ArgumentError, CheckError, CompileError, DeviceError, DtypeError, Error,
                      FileError, IndexError, InternalError, LaunchError, MemoryError,
                      OverflowError, TimeoutError, UnsupportedError)
from ._kernels import Program, compile
from ._maps import *  # noqa: F403
from ._numbers import settled as _settled
from ._graph import Graph, Model, Plan
from ._joining import *  # noqa: F403
from ._operations import *  # noqa: F403
from ._picture import Picture, picture
from ._products import *  # noqa: F403
from ._random import random
from ._sets import *  # noqa: F403
from ._scattering import *  # noqa: F403
from ._shaping import *  # noqa: F403
from ._statistics import *  # noqa: F403
from ._symbol import Symbol
from ._testing import testing
from ._vectorize import vectorize

_core.setup(_errors.BY_STATUS, _dtypes.DTYPES, Array, _convert, default_device, _np.empty,
            _deliver, _dtypes.HAS_STAND_IN, _np.ndarray, _np.generic, _settled, _defaults,
            _ranks.operate)

_elementwise.setup()

__version__ = _core.version()

__all__ = [name for name in dir() if not name.startswith("_")]

from . import array_api, dist  # noqa: E402,F401 # modules of their own, no names of `import *`
