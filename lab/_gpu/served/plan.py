"""A TensorRT plan, run by TensorRT's Python package and the few calls of NVIDIA's driver that it needs.

No other library: Triton's Python part has its own environment.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

GRAPH_ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Rows that CUDA graphs are captured for; a batch between two of them takes the larger."""
_NUMPY = {"INT32": np.int32, "FLOAT": np.float32, "HALF": np.float16}
_OWN_STREAM, _RELAXED = 1, 2  # CU_STREAM_NON_BLOCKING, CU_STREAM_CAPTURE_MODE_RELAXED


class DriverError(RuntimeError):
    """NVIDIA's driver refused a call; the message has its name and number."""


class Unreadable(RuntimeError):
    """TensorRT cannot read the plan: it is of another version or another GPU."""


class Driver:
    """The first GPU: its primary context, one stream, memory on both sides."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self._context, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        device = ctypes.c_int()
        self._call("cuInit", ctypes.c_uint(0))
        self._call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)
        self.use()
        self._call("cuStreamCreate", ctypes.byref(self.stream), ctypes.c_uint(_OWN_STREAM))

    def use(self) -> None:
        """Make the context this thread's own; every thread that calls must do so once."""
        self._call("cuCtxSetCurrent", self._context)

    def on_gpu(self, size: int) -> int:
        """Return the address of so many bytes on the GPU."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        return address.value

    def pinned(self, shape: tuple[int, ...], kind: Any) -> np.ndarray:
        """Return an array in memory that the GPU reads and writes by itself, full of ones."""
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        address = ctypes.c_void_p()
        self._call("cuMemHostAlloc", ctypes.byref(address), ctypes.c_size_t(size), ctypes.c_uint(0))
        assert address.value
        memory: Any = (ctypes.c_char * size).from_address(address.value)
        array: np.ndarray = np.frombuffer(memory, dtype=kind).reshape(shape)
        array[...] = 1
        return array

    def up(self, address: int, array: np.ndarray) -> None:
        """Copy to the GPU, in the stream."""
        source = ctypes.c_void_p(array.ctypes.data)
        size = ctypes.c_size_t(array.nbytes)
        self._call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address), source, size, self.stream)

    def down(self, array: np.ndarray, address: int) -> None:
        """Copy from the GPU, in the stream."""
        target = ctypes.c_void_p(array.ctypes.data)
        size = ctypes.c_size_t(array.nbytes)
        self._call("cuMemcpyDtoHAsync_v2", target, ctypes.c_uint64(address), size, self.stream)

    def wait(self) -> None:
        """Wait for the stream."""
        self._call("cuStreamSynchronize", self.stream)

    def captured(self, work: Callable[[], None]) -> ctypes.c_void_p:
        """Return a CUDA graph of what the work puts into the stream."""
        graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuStreamBeginCapture_v2", self.stream, ctypes.c_int(_RELAXED))
        work()
        self._call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self._call("cuGraphInstantiateWithFlags", ctypes.byref(ready), graph, ctypes.c_ulonglong(0))
        return ready

    def launch(self, graph: ctypes.c_void_p) -> None:
        """Put a graph into the stream."""
        self._call("cuGraphLaunch", graph, self.stream)

    def _call(self, name: str, *arguments: Any) -> None:
        if error := getattr(self._library, name)(*arguments):
            raise DriverError(f"{name}: CUDA error {error}")


class Plan:
    """A plan ready to run, a batch at a time, for one caller at a time."""

    def __init__(self, path: Path, *, has_graphs: bool = True) -> None:
        """Read the plan and capture its graphs. Raises Unreadable, DriverError."""
        import tensorrt

        self._trt: Any = tensorrt
        self.driver = Driver()
        self._runtime = self._trt.Runtime(self._trt.Logger(self._trt.Logger.WARNING))
        self._engine = self._runtime.deserialize_cuda_engine(path.read_bytes())
        if self._engine is None:
            raise Unreadable(f"{path}: TensorRT {self._trt.__version__} cannot read this plan")
        self._context = self._engine.create_execution_context()
        names = [self._engine.get_tensor_name(index) for index in range(self._engine.num_io_tensors)]
        input_mode = self._trt.TensorIOMode.INPUT
        self.inputs = [name for name in names if self._engine.get_tensor_mode(name) == input_mode]
        self.outputs = [name for name in names if name not in self.inputs]
        self.rows = int(self._largest(self.inputs[0])[0])
        self._host: dict[str, np.ndarray] = {}
        self._gpu: dict[str, int] = {}
        self._take_memory()
        self._graphs: dict[int, ctypes.c_void_p] = {}
        if has_graphs:
            self._capture()

    def run(self, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Answer at most `rows` rows."""
        rows = len(arrays[self.inputs[0]])
        for name in self.inputs:
            self._host[name][:rows] = arrays[name]
        room = next((size for size in self._graphs if size >= rows), 0)
        if room:
            self.driver.launch(self._graphs[room])
        else:
            self._enqueue(rows)
        self.driver.wait()
        return {name: self._host[name][:rows].copy() for name in self.outputs}

    def _largest(self, name: str) -> tuple[int, ...]:
        return tuple(self._engine.get_tensor_profile_shape(name, 0)[2])

    def _take_memory(self) -> None:
        for name in self.inputs:
            self._context.set_input_shape(name, self._largest(name))
        for name in (*self.inputs, *self.outputs):
            kind = _NUMPY[self._engine.get_tensor_dtype(name).name]
            self._host[name] = self.driver.pinned(tuple(self._context.get_tensor_shape(name)), kind)
            self._gpu[name] = self.driver.on_gpu(self._host[name].nbytes)
            self._context.set_tensor_address(name, self._gpu[name])

    def _capture(self) -> None:
        for rows in (rows for rows in GRAPH_ROWS if rows <= self.rows):
            self._enqueue(rows)  # the first run of a shape prepares what cannot be captured
            self.driver.wait()
            self._graphs[rows] = self.driver.captured(functools.partial(self._enqueue, rows))

    def _enqueue(self, rows: int) -> None:
        """Put copies and the network into the stream, for the first rows of the memory on either side."""
        for name in self.inputs:
            self._context.set_input_shape(name, (rows, *self._largest(name)[1:]))
            self.driver.up(self._gpu[name], self._host[name][:rows])
        if not self._context.execute_async_v3(self.driver.stream.value):
            raise Unreadable("TensorRT did not run the plan; its log says why")
        for name in self.outputs:
            self.driver.down(self._host[name][:rows], self._gpu[name])
