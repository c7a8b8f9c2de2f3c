"""What a process that reads hostile bytes gives up for good, so that an attacker gains nothing by it.

Landlock: all files but those that are named, TCP, signals to others (https://docs.kernel.org/userspace-api/landlock.html).
seccomp: system calls that reach out of the process (https://man7.org/linux/man-pages/man2/seccomp.2.html).
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

_SYSTEM = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
)
"""Files without secrets that libraries read, some of them only when they are first needed."""
_SET_DUMPABLE, _SET_NO_NEW_PRIVS = 4, 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files each version of Landlock knows; later ones know as many as 5."""
_KILL, _ALLOW, _ERRNO, _EPERM, _ENOSYS = 0x8000_0000, 0x7FFF_0000, 0x5_0000, 1, 38
_LOAD, _EQUAL, _AT_LEAST, _HAS_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16
"""Where the filter finds them: struct seccomp_data."""
_CLONE_THREAD, _X32 = 0x1_0000, 0x4000_0000
_MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""For each machine its AUDIT_ARCH, and which of a call's two numbers it uses."""
_CALLS = {"seccomp": (317, 277), "clone": (56, 220), "clone3": (435, 435), "prlimit64": (302, 261)}
_OF_ONESELF = {"kill": (62, 129), "tgkill": (234, 131)}
_REFUSED = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200),
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440),
    "shmget": (29, 194), "shmat": (30, 196), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "open_by_handle_at": (304, 265), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    # Landlock leaves these, and the first one before version 3.
    "truncate": (76, 45), "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53),
    "fchmodat2": (452, 452), "chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1), "fchownat": (260, 54),
    "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104),
}  # fmt: skip
"""Numbers on x86-64 and ARM. A list of what is allowed would be safer, and break with each new library."""


def hide() -> None:
    """Keep other processes of the user out of this one's memory and environment; it leaves no core dump."""
    with suppress(OSError):
        _call("prctl", _SET_DUMPABLE, 0, 0, 0, 0)


def enter(*, readable: Iterable[Path] = ()) -> list[str]:
    """Give up files, network and other processes, also for threads to come; return what the kernel lacks.

    `readable` are files and folders, with what links in them lead to. Call before there are threads.
    """
    hide()
    lacking = []
    for name, restrict in (("landlock", partial(_keep_files, readable)), ("seccomp", _refuse_calls)):
        try:
            _call("prctl", _SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            restrict()
        except OSError:
            lacking.append(name)
    return lacking


def _keep_files(readable: Iterable[Path]) -> None:
    version = _syscall(_CREATE_RULESET, None, 0, 1)
    rights = (1 << _RIGHTS.get(version, 16)) - 1
    # TCP from version 4 on; sockets and signals outside from 6 on.
    attributes = struct.pack("=QQQ", rights, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    for path in _readable(readable):
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # not there, or not ours to read
        allowed = _READ_FILE | _READ_DIR if path.is_dir() else _READ_FILE
        _syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", allowed, descriptor), 0)
        os.close(descriptor)
    _syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _readable(named: Iterable[Path]) -> Iterator[Path]:
    here = Path(__file__).resolve().parent
    yield from (here, *map(Path, _SYSTEM))
    # Only the readers of the product, whose folder may hold its state.
    yield from (path for path in map(Path, sys.path) if path.resolve() != here.parent.parent)
    for path in named:
        yield path
        yield from path.rglob("*")  # in a model cache, files are links to elsewhere


def _refuse_calls() -> None:
    if platform.machine() not in _MACHINES:
        raise OSError
    architecture, own = _MACHINES[platform.machine()]
    refuse = (_RETURN, 0, 0, _ERRNO | _EPERM)
    allow = (_RETURN, 0, 0, _ALLOW)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *((_AT_LEAST, 0, 1, _X32), refuse),
        # Its flags are behind a pointer; without it the C library uses clone.
        *((_EQUAL, 0, 1, _CALLS["clone3"][own]), (_RETURN, 0, 0, _ERRNO | _ENOSYS)),
    ]
    for numbers in _REFUSED.values():
        program += [(_EQUAL, 0, 1, numbers[own]), refuse] if numbers[own] >= 0 else []
    unless = [(_CALLS["clone"], (_HAS_BIT, 0, 1, _CLONE_THREAD)), (_CALLS["prlimit64"], (_EQUAL, 0, 1, 0))]
    unless += [(numbers, (_EQUAL, 0, 1, os.getpid())) for numbers in _OF_ONESELF.values()]
    for numbers, test in unless:
        program += [(_EQUAL, 0, 4, numbers[own]), (_LOAD, 0, 0, _ARGUMENT), test, allow, refuse]
    program.append(allow)
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    filled = ctypes.create_string_buffer(code, len(code))
    _syscall(_CALLS["seccomp"][own], 1, 1, struct.pack("@HP", len(program), ctypes.addressof(filled)))


def _syscall(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call; bytes are passed by their address. Raises OSError."""
    return _call("syscall", number, *arguments)


def _call(function: str, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    long = (ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments)
    if (answer := int(libc[function](*long))) < 0:
        raise OSError(ctypes.get_errno(), function)
    return answer
