"""A restricted interpreter of the pickle opcodes that a torch state dict needs.

It creates only inert nodes: dicts, lists, tuples, numbers, strings, and the nodes of torch_nodes. A global is looked up
in one table by its full name and never imported. Nothing that a file names is called. Other opcodes and globals are
rejected, and the error names them. Types are checked as strictly as names: SETITEM on another type than dict was a
vulnerability of torch's reader. Limits keep the memory below 30 MB for any file. A BERT of 24 layers uses a sixth of
these limits.
"""

import struct
from typing import Any

from .errors import ConvertError, quoted
from .torch_nodes import (
    CALLS,
    NUMBER_TYPES,
    STORAGE_TYPES,
    UNTYPED_STORAGE,
    Global,
    OrderedDictNode,
    kind_of,
    rebuilt,
    sizes_of,
    storage_of,
)

MAX_PICKLE_BYTES = 2 * 1024 * 1024
MAX_NODES = 60_000
MAX_STRING_BYTES = 1024 * 1024
MAX_MARK_DEPTH = 1_000
MAX_INTEGER_BYTES = 8

_OPCODES = {
    0x80: "PROTO",
    0x2E: "STOP",
    0x28: "MARK",
    0x74: "TUPLE",
    0x85: "TUPLE1",
    0x86: "TUPLE2",
    0x87: "TUPLE3",
    0x29: "EMPTY_TUPLE",
    0x5D: "EMPTY_LIST",
    0x7D: "EMPTY_DICT",
    0x4E: "NONE",
    0x88: "NEWTRUE",
    0x89: "NEWFALSE",
    0x4A: "BININT",
    0x4B: "BININT1",
    0x4D: "BININT2",
    0x8A: "LONG1",
    0x47: "BINFLOAT",
    0x58: "BINUNICODE",
    0x55: "SHORT_BINSTRING",
    0x68: "BINGET",
    0x6A: "LONG_BINGET",
    0x71: "BINPUT",
    0x72: "LONG_BINPUT",
    0x61: "APPEND",
    0x65: "APPENDS",
    0x73: "SETITEM",
    0x75: "SETITEMS",
    0x63: "GLOBAL",
    0x52: "REDUCE",
    0x62: "BUILD",
    0x51: "BINPERSID",
}
# The names are for error messages.
_REFUSED_OPCODES = {
    0x30: "POP",
    0x31: "POP_MARK",
    0x32: "DUP",
    0x46: "FLOAT",
    0x49: "INT",
    0x4C: "LONG",
    0x50: "PERSID",
    0x53: "STRING",
    0x54: "BINSTRING",
    0x56: "UNICODE",
    0x64: "DICT",
    0x67: "GET",
    0x69: "INST",
    0x6C: "LIST",
    0x6F: "OBJ",
    0x70: "PUT",
    0x81: "NEWOBJ",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
    0x8B: "LONG4",
    0x42: "BINBYTES",
    0x43: "SHORT_BINBYTES",
    0x8C: "SHORT_BINUNICODE",
    0x8D: "BINUNICODE8",
    0x8E: "BINBYTES8",
    0x8F: "EMPTY_SET",
    0x90: "ADDITEMS",
    0x91: "FROZENSET",
    0x92: "NEWOBJ_EX",
    0x93: "STACK_GLOBAL",
    0x94: "MEMOIZE",
    0x95: "FRAME",
    0x96: "BYTEARRAY8",
    0x97: "NEXT_BUFFER",
    0x98: "READONLY_BUFFER",
}


def read_pickle(data: bytes, legacy: bool = False) -> tuple[Any, int]:
    """Return the object of the pickle at the start of data, and the end of the pickle.

    `legacy` is for the container of torch 1.5 and older, whose storage references have six parts and whose strings may
    be bytes.
    """
    return _Interpreter(data, legacy).run()


class _Interpreter:
    """The machine of one pickle: a stack, a memo, and the containers made so far."""

    def __init__(self, data: bytes, legacy: bool) -> None:
        self._data = data
        self._legacy = legacy
        self._position = 0
        self._nodes = 0
        self._string_bytes = 0
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._containers: list[Any] = []

    def run(self) -> tuple[Any, int]:
        if self._data[:2] != b"\x80\x02":
            raise ConvertError(
                f"pickle begins with bytes {quoted(self._data[:2].hex(' '))}, expected protocol 2 (80 02): save "
                "the state_dict again with torch.save"
            )
        self._position = 2
        while True:
            start = self._position
            code = self._take(1)[0]
            name = _OPCODES.get(code)
            if name is None:
                self._refuse_opcode(code, start)
            try:
                if name == "STOP":
                    return self._result(), self._position
                getattr(self, "_op_" + name.lower())()
            except ConvertError as error:
                raise ConvertError(f"pickle opcode {name} at byte {start}: {error}") from None

    def _refuse_opcode(self, code: int, start: int) -> None:
        known = _REFUSED_OPCODES.get(code)
        if known is None:
            raise ConvertError(f"pickle opcode {code:#04x} at byte {start} does not exist")
        raise ConvertError(
            f"pickle opcode {known} at byte {start} is not allowed in a state dict "
            "(save the state_dict again with torch.save)"
        )

    def _result(self) -> Any:
        result = self._pop()
        if self._stack or self._marks:
            raise ConvertError(f"{len(self._stack)} values and {len(self._marks)} marks are left on the stack")
        _refuse_cycles(self._containers)
        return result

    # Primitives

    def _take(self, count: int) -> bytes:
        data = self._data[self._position : self._position + count]
        if len(data) != count:
            raise ConvertError(f"pickle is truncated at byte {len(self._data)}")
        self._position += count
        return data

    def _unsigned(self, count: int) -> int:
        return int.from_bytes(self._take(count), "little")

    def _push(self, value: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ConvertError(f"more than {MAX_NODES} values")
        self._stack.append(value)

    def _pop(self) -> Any:
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise ConvertError("stack is empty")
        return self._stack.pop()

    def _pop_to_mark(self) -> list[Any]:
        if not self._marks:
            raise ConvertError("there is no mark")
        start = self._marks.pop()
        values = self._stack[start:]
        del self._stack[start:]
        return values

    def _top(self, kind: type, words: str) -> Any:
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise ConvertError("stack is empty")
        if type(self._stack[-1]) is not kind and not (kind is dict and type(self._stack[-1]) is OrderedDictNode):
            raise ConvertError(f"target is {kind_of(self._stack[-1])}, expected {words}")
        return self._stack[-1]

    def _new_container(self, value: Any) -> None:
        self._push(value)
        self._containers.append(value)

    # Opcodes: constants

    def _op_proto(self) -> None:
        raise ConvertError("protocol is given twice")

    def _op_none(self) -> None:
        self._push(None)

    def _op_newtrue(self) -> None:
        self._push(True)

    def _op_newfalse(self) -> None:
        self._push(False)

    def _op_binint(self) -> None:
        self._push(int.from_bytes(self._take(4), "little", signed=True))

    def _op_binint1(self) -> None:
        self._push(self._unsigned(1))

    def _op_binint2(self) -> None:
        self._push(self._unsigned(2))

    def _op_long1(self) -> None:
        count = self._unsigned(1)
        if count > MAX_INTEGER_BYTES:
            raise ConvertError(f"integer of {count} bytes, at most {MAX_INTEGER_BYTES} are read")
        self._push(int.from_bytes(self._take(count), "little", signed=True))

    def _op_binfloat(self) -> None:
        self._push(struct.unpack(">d", self._take(8))[0])

    def _op_binunicode(self) -> None:
        self._push(self._string(self._unsigned(4), "utf-8"))

    def _op_short_binstring(self) -> None:
        if not self._legacy:
            raise ConvertError("bytes strings are allowed in legacy files only")
        self._push(self._string(self._unsigned(1), "ascii"))

    def _string(self, count: int, encoding: str) -> str:
        self._string_bytes += count
        if self._string_bytes > MAX_STRING_BYTES:
            raise ConvertError(f"string of {count} bytes, at most {MAX_STRING_BYTES} are read in all")
        try:
            return self._take(count).decode(encoding)
        except UnicodeDecodeError:
            raise ConvertError(f"string is not {encoding.upper()}") from None

    # Opcodes: containers and memo

    def _op_mark(self) -> None:
        if len(self._marks) >= MAX_MARK_DEPTH:
            raise ConvertError(f"marks nested deeper than {MAX_MARK_DEPTH}")
        self._marks.append(len(self._stack))

    def _op_empty_tuple(self) -> None:
        self._push(())

    def _op_empty_list(self) -> None:
        self._new_container([])

    def _op_empty_dict(self) -> None:
        self._new_container({})

    def _op_tuple(self) -> None:
        self._push(tuple(self._pop_to_mark()))

    def _op_tuple1(self) -> None:
        self._push_tuple(1)

    def _op_tuple2(self) -> None:
        self._push_tuple(2)

    def _op_tuple3(self) -> None:
        self._push_tuple(3)

    def _push_tuple(self, count: int) -> None:
        self._push(tuple(reversed([self._pop() for _ in range(count)])))

    def _op_append(self) -> None:
        value = self._pop()
        self._top(list, "a list").append(value)

    def _op_appends(self) -> None:
        values = self._pop_to_mark()
        self._top(list, "a list").extend(values)

    def _op_setitem(self) -> None:
        value, key = self._pop(), self._pop()
        self._set_items([key, value])

    def _op_setitems(self) -> None:
        self._set_items(self._pop_to_mark())

    def _set_items(self, keys_and_values: list[Any]) -> None:
        target = self._top(dict, "a dict")
        if len(keys_and_values) % 2:
            raise ConvertError("a key has no value")
        self._fill(target, list(zip(keys_and_values[0::2], keys_and_values[1::2])))

    def _fill(self, target: dict[str, Any], pairs: list[tuple[Any, Any]]) -> None:
        for key, value in pairs:
            if type(key) is not str:
                raise ConvertError(f"key is {kind_of(key)}, expected a string")
            if key in target:
                raise ConvertError(f"key {quoted(key)} is set twice")
            target[key] = value

    def _op_binput(self) -> None:
        self._put(self._unsigned(1))

    def _op_long_binput(self) -> None:
        self._put(self._unsigned(4))

    def _put(self, index: int) -> None:
        value = self._pop()
        self._stack.append(value)
        if index not in self._memo and len(self._memo) >= MAX_NODES:
            raise ConvertError(f"more than {MAX_NODES} memo entries")
        self._memo[index] = value

    def _op_binget(self) -> None:
        self._get(self._unsigned(1))

    def _op_long_binget(self) -> None:
        self._get(self._unsigned(4))

    def _get(self, index: int) -> None:
        if index not in self._memo:
            raise ConvertError(f"memo has no entry {index}")
        self._push(self._memo[index])

    # Opcodes that call something in other readers

    def _op_global(self) -> None:
        module, name = self._line(), self._line()
        full_name = f"{module}.{name}"
        if (
            full_name not in CALLS
            and full_name not in STORAGE_TYPES
            and full_name not in NUMBER_TYPES
            and full_name != UNTYPED_STORAGE
        ):
            raise ConvertError(f"global {quoted(full_name)} is not allowed; nothing was run (save the state_dict only)")
        self._push(Global(full_name))

    def _line(self) -> str:
        end = self._data.find(b"\n", self._position, self._position + 257)
        if end < 0:
            raise ConvertError("name of a global is cut short or longer than 256 bytes")
        return self._take(end + 1 - self._position)[:-1].decode("utf-8", "backslashreplace")

    def _op_reduce(self) -> None:
        arguments, function = self._pop(), self._pop()
        if type(function) is not Global or function.name not in CALLS:
            shown = function.name if type(function) is Global else kind_of(function)
            raise ConvertError(f"{shown} cannot be called")
        if type(arguments) is not tuple:
            raise ConvertError(f"arguments of {function.name} are {kind_of(arguments)}, expected a tuple")
        arities = CALLS[function.name]
        if len(arguments) not in arities:
            raise ConvertError(
                f"{function.name} has {len(arguments)} arguments, expected {' or '.join(map(str, arities))}"
            )
        if function.name == "collections.OrderedDict":
            self._push_ordered_dict(arguments)
        elif function.name == "torch.Size":
            self._push(sizes_of(arguments[0], "torch.Size"))
        else:
            self._push(rebuilt(function.name, arguments))

    def _push_ordered_dict(self, arguments: tuple[Any, ...]) -> None:
        node = OrderedDictNode()
        if arguments:
            if type(arguments[0]) is not list or not all(
                type(p) in (tuple, list) and len(p) == 2 for p in arguments[0]
            ):
                raise ConvertError("argument of collections.OrderedDict is not a list of pairs")
            self._fill(node, [(pair[0], pair[1]) for pair in arguments[0]])
        self._new_container(node)

    def _op_build(self) -> None:
        state = self._pop()
        target = self._top(OrderedDictNode, "an OrderedDict")
        # torch stores version numbers of modules here ("_metadata"); they do not affect the weights.
        if type(state) is not dict or set(state) - {"_metadata"}:
            raise ConvertError(f"state of an OrderedDict is {kind_of(state)}, expected a dict with '_metadata' alone")
        target.state = state

    def _op_binpersid(self) -> None:
        self._push(storage_of(self._pop(), self._legacy))


def _refuse_cycles(containers: list[Any]) -> None:
    """Raise ConvertError if a container contains itself, at any depth. The search is iterative, so that deep nesting
    does no harm."""
    done: set[int] = set()
    for root in containers:
        on_path: set[int] = set()
        work: list[tuple[Any, bool]] = [(root, False)]
        while work:
            node, leaving = work.pop()
            if leaving:
                on_path.discard(id(node))
                done.add(id(node))
                continue
            if id(node) in on_path:
                raise ConvertError(f"{kind_of(node)} contains itself")
            if id(node) in done:
                continue
            on_path.add(id(node))
            work.append((node, True))
            children = list(node.values()) if isinstance(node, dict) else list(node)
            if isinstance(node, OrderedDictNode):
                children.append(node.state)
            work.extend((child, False) for child in children if isinstance(child, (dict, list, tuple)))
