"""Tests pickles that are no state dict. The converter must refuse each with one line that names the reason, run
nothing, and need little memory."""

import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support import torch_file_writer as torch
from support.converter import ConverterTest
from support.torch_file_writer import (
    call,
    dict_of,
    name,
    number,
    pickled,
    storage,
    tensor,
    text,
    tuple_of,
)

FOUR = {"0": b"\0" * 16}  # the storage of the pickles: four float32


def command(canary: Path) -> bytes:
    """Return an argument with which a called program writes the file `canary`, so that the call is noticed."""
    return text(f"touch {canary}")


def refused_globals(canary: Path) -> dict[str, tuple[bytes, str]]:
    """Return pickles that call forbidden functions: case to (pickle, words of the error)."""
    run = command(canary)
    names = {
        "os.system": tuple_of(run),
        "posix.system": tuple_of(run),
        "nt.system": tuple_of(run),
        "subprocess.Popen": tuple_of(run),
        "subprocess.check_output": tuple_of(run),
        "builtins.eval": tuple_of(text(f"open({str(canary)!r}, 'w')")),
        "builtins.exec": tuple_of(text("1")),
        "__builtin__.eval": tuple_of(text("1")),
        "builtins.getattr": tuple_of(text("a"), text("b")),
        "builtins.__import__": tuple_of(text("os")),
        "builtins.open": tuple_of(text(str(canary)), text("w")),
        "builtins.bytearray": tuple_of(number(2**40)),
        "builtins.set": tuple_of(),
        "builtins.complex": tuple_of(),
        "importlib.import_module": tuple_of(text("os")),
        "runpy._run_code": tuple_of(text("1")),
        "pickle.loads": tuple_of(text("")),
        "marshal.loads": tuple_of(text("")),
        "shutil.rmtree": tuple_of(text("/nothing")),
        "webbrowser.open": tuple_of(text("x")),
        "pip.main": tuple_of(),
        "asyncio.unix_events._UnixSubprocessTransport._start": tuple_of(),
        "torch.load": tuple_of(text("x")),
        "torch.hub.load": tuple_of(text("x")),
        "torch.jit.load": tuple_of(text("x")),
        "torch.serialization.load": tuple_of(text("x")),
        "torch._utils._rebuild_qtensor": tuple_of(),
        "torch._utils._rebuild_sparse_tensor": tuple_of(),
        "torch._utils._rebuild_device_tensor_from_numpy": tuple_of(),
        "torch._utils._rebuild_wrapper_subclass": tuple_of(),
        "torch._tensor._rebuild_from_type_v2": tuple_of(),
        "torch.nn.modules.linear.Linear": tuple_of(),
        "torch.ComplexFloatStorage": tuple_of(),
        "torch.QInt8Storage": tuple_of(),
        "collections.Counter": tuple_of(),
        "collections.defaultdict": tuple_of(),
        "_codecs.encode": tuple_of(text("x")),
        "argparse.Namespace": tuple_of(),
        "transformers.training_args.TrainingArguments": tuple_of(),
        "numpy.core.multiarray.scalar": tuple_of(),
        "numpy.core.multiarray._reconstruct": tuple_of(),
        "numpy._core.multiarray.scalar": tuple_of(),
        "numpy.dtype": tuple_of(),
        "sys.exit": tuple_of(number(0)),
        "convert.errors.ConvertError": tuple_of(),
        "collections..OrderedDict": tuple_of(),
        "Collections.OrderedDict": tuple_of(),
    }
    cases = {
        f"global {full_name}": (pickled(name(full_name) + arguments + b"R"), f"global '{full_name}' is not allowed")
        for full_name, arguments in names.items()
    }
    cases["global with a newline escaped"] = (pickled(b"cos\\nsystem\nx\n."), "is not allowed")
    cases["global without a name"] = (b"\x80\x02cos\n", "cut short")
    cases["global of 100,000 letters"] = (pickled(b"c" + b"a" * 100_000 + b"\nb\n"), "longer than 256 bytes")
    cases["global with control characters"] = (pickled(b"cos\x1b[2J\nsystem\n"), r"'os\x1b[2J.system' is not allowed")
    return cases


def refused_opcodes(canary: Path) -> dict[str, tuple[bytes, str]]:
    """Return a pickle for every forbidden opcode, at a place where it would have an effect."""
    run = command(canary)
    bodies = {
        "INST": b"(" + run + b"ios\nsystem\n",
        "OBJ": b"(" + run + b"o",
        "NEWOBJ": b"))\x81",
        "NEWOBJ_EX": b")))\x92",
        "STACK_GLOBAL": text("os") + text("system") + b"\x93",
        "EXT1": b"\x82\1",
        "EXT2": b"\x83\1\0",
        "EXT4": b"\x84\1\0\0\0",
        "PERSID": b"Pfile\n",
        "POP": b"N0",
        "POP_MARK": b"(1",
        "DUP": b"N2",
        "EMPTY_SET": b"\x8f",
        "ADDITEMS": b"(\x90",
        "FROZENSET": b"(\x91",
        "MEMOIZE": b"N\x94",
        "FRAME": b"\x95" + bytes(8),
        "INT": b"I1\n",
        "LONG": b"L1L\n",
        "FLOAT": b"F1\n",
        "STRING": b"S'a'\n",
        "BINSTRING": b"T\1\0\0\0a",
        "UNICODE": b"Va\n",
        "DICT": b"(d",
        "LIST": b"(l",
        "GET": b"g0\n",
        "PUT": b"Np0\n",
        "LONG4": b"\x8b\xff\xff\xff\x7f",
        "BINBYTES": b"B\xff\xff\xff\xff",
        "SHORT_BINBYTES": b"C\1a",
        "SHORT_BINUNICODE": b"\x8c\1a",
        "BINUNICODE8": b"\x8d" + b"\xff" * 8,
        "BINBYTES8": b"\x8e" + b"\xff" * 8,
        "BYTEARRAY8": b"\x96" + b"\xff" * 8,
        "NEXT_BUFFER": b"\x97",
        "READONLY_BUFFER": b"\x98",
    }
    cases = {f"opcode {code}": (pickled(body), f"opcode {code} at byte") for code, body in bodies.items()}
    cases["opcode that does not exist"] = (pickled(b"\xff"), "opcode 0xff at byte 2 does not exist")
    cases["bytes string outside legacy files"] = (pickled(b"U\1a"), "allowed in legacy files only")
    cases["protocol 4"] = (b"\x80\x04\x95" + bytes(8) + b"}.", "expected protocol 2")
    cases["protocol 0"] = (b"(dp0\n.", "expected protocol 2")
    cases["protocol twice"] = (pickled(b"\x80\x02}"), "given twice")
    cases["empty"] = (b"", "expected protocol 2")
    return cases


def refused_structures() -> dict[str, tuple[bytes, str]]:
    """Return pickles with wrong targets, stacks, memos, cycles and sizes."""
    many = 200_000
    nested = b")" + b"\x85" * 50_000
    return {
        "SETITEM on a list": (pickled(b"]" + text("a") + b"Ns"), "target is a list, expected a dict"),
        "SETITEM on a tensor": (pickled(tensor(storage(), (4,), (1,)) + text("a") + b"Ns"), "target is a tensor"),
        "SETITEM on a storage": (pickled(storage() + text("a") + b"Ns"), "target is a storage"),
        "SETITEMS on a global": (pickled(name("torch.FloatStorage") + b"(" + text("a") + b"Nu"), "target is global"),
        "SETITEMS with a key alone": (pickled(b"}(" + text("a") + b"u"), "a key has no value"),
        "SETITEM with an integer key": (pickled(b"}K\1Ns"), "key is an integer"),
        "SETITEM with a tuple key": (pickled(b"})Ns"), "key is a tuple"),
        "key twice": (pickled(dict_of(("a", b"N"), ("a", b"N"))), "key 'a' is set twice"),
        "APPEND to a dict": (pickled(b"}Na"), "target is a dict, expected a list"),
        "APPENDS to a tuple": (pickled(b")(Ne"), "target is a tuple, expected a list"),
        "BUILD on a dict": (pickled(b"}}b"), "target is a dict, expected an OrderedDict"),
        "BUILD on a tensor": (pickled(tensor(storage(), (4,), (1,)) + b"}b"), "expected an OrderedDict"),
        "BUILD with a class": (pickled(torch.ORDERED_DICT + dict_of(("__class__", b"N")) + b"b"), "'_metadata' alone"),
        "BUILD with slots": (pickled(torch.ORDERED_DICT + tuple_of(b"N", b"}") + b"b"), "'_metadata' alone"),
        "REDUCE of a string": (pickled(text("os.system") + b")R"), "a string cannot be called"),
        "REDUCE of a storage type": (
            pickled(name("torch.FloatStorage") + tuple_of(number(2**40)) + b"R"),
            "cannot be called",
        ),
        "REDUCE with a list": (pickled(name("collections.OrderedDict") + b"]R"), "expected a tuple"),
        "OrderedDict of a dict": (pickled(call("collections.OrderedDict", b"}")), "not a list of pairs"),
        "OrderedDict of triples": (
            pickled(call("collections.OrderedDict", b"]" + tuple_of(b"N", b"N", b"N") + b"a")),
            "list of pairs",
        ),
        "OrderedDict with two arguments": (pickled(call("collections.OrderedDict", b"]", b"]")), "has 2 arguments"),
        "stack empty": (pickled(b""), "stack is empty"),
        "stack empty below a mark": (pickled(b"N(\x85"), "stack is empty"),
        "values left over": (pickled(b"}}"), "are left on the stack"),
        "mark left over": (pickled(b"}("), "stack is empty"),
        "no mark": (pickled(b"t"), "there is no mark"),
        "memo entry unknown": (pickled(b"h\7"), "memo has no entry 7"),
        "memo entry of an empty stack": (pickled(b"q\0"), "stack is empty"),
        "memo entry far away": (pickled(b"}r\xff\xff\xff\xffj\xfe\xff\xff\xff"), "memo has no entry 4294967294"),
        "dict in itself": (pickled(b"}q\0" + text("a") + b"h\0s"), "contains itself"),
        "list in itself": (pickled(b"]q\0h\0a"), "contains itself"),
        "dict in a tuple in itself": (pickled(b"}q\0" + text("a") + b"h\0\x85s"), "contains itself"),
        "OrderedDict in its own state": (
            pickled(torch.ORDERED_DICT + b"q\0" + dict_of(("_metadata", b"h\0")) + b"b"),
            "contains itself",
        ),
        "marks 2,000 deep": (pickled(b"(" * 2_000), "nested deeper than 1000"),
        "tuples 50,000 deep": (pickled(nested), "holds no dict"),
        "200,000 dicts": (pickled(b"](" + b"}" * many + b"e"), "more than 60000 values"),
        "200,000 numbers": (pickled(b"](" + b"J\1\2\3\4" * many + b"e"), "more than 60000 values"),
        "200,000 copies of one": (pickled(b"]q\0(" + b"h\0" * many + b"e"), "more than 60000 values"),
        "doubling tuples": (pickled(b")" + b"q\0h\0\x86" * 90), "holds no dict"),
        "string of 2 GB": (pickled(b"X" + struct.pack("<L", 2**31)), "string of 2147483648 bytes"),
        "string longer than the file": (pickled(b"X" + struct.pack("<L", 1000)), "truncated"),
        "string that is not UTF-8": (pickled(b"X\2\0\0\0\xff\xfe"), "not UTF-8"),
        "integer of 255 bytes": (pickled(b"\x8a\xff" + b"\1" * 255), "integer of 255 bytes"),
        "pickle of 5 MB": (pickled(b"N" * 5_000_000), "at most 2097152 are read"),
        "strings of 1 MB that take 4": (
            pickled(b"X" + struct.pack("<L", 10**6) + b"a" * 999_996 + "😀".encode()),
            "holds no dict",
        ),
        "strings of 2 MB": (
            pickled((b"X" + struct.pack("<L", 10**6) + b"a" * 10**6) * 2),
            "at most 1048576 are read in all",
        ),
        "bytes after the end": (pickled(b"}") + b"more", "4 bytes after its end"),
        "no end": (b"\x80\x02}", "truncated"),
        "a list at the top": (pickled(b"]"), "holds no dict"),
        "a dict without tensors": (pickled(b"}"), "holds no weights"),
    }


def refused_tensors() -> dict[str, tuple[bytes, str]]:
    """Return pickles with contradicting tensors and storages."""

    def v2(**changed: bytes) -> bytes:
        parts = {
            "storage": storage(),
            "offset": number(0),
            "size": tuple_of(number(4)),
            "stride": tuple_of(number(1)),
            "grad": b"\x89",
            "hooks": torch.ORDERED_DICT,
        } | changed
        return pickled(dict_of(("w", call("torch._utils._rebuild_tensor_v2", *parts.values()))))

    def persistent(*parts: bytes) -> bytes:
        return pickled(dict_of(("w", tuple_of(*parts) + b"Q")))

    kind, key, cpu = name("torch.FloatStorage"), text("0"), text("cpu")
    return {
        "offset negative": (v2(offset=number(-1)), "offset is -1"),
        "offset a bool": (v2(offset=b"\x88"), "offset is a bool"),
        "size negative": (v2(size=tuple_of(number(-4))), "size[0] is -4"),
        "size a list": (v2(size=b"](K\4e"), "size is a list"),
        "size a float": (v2(size=tuple_of(b"G" + struct.pack(">d", 4.0))), "size[0] is a float"),
        "size beyond the storage": (v2(size=tuple_of(number(5))), "reaches element 4 of a storage of 4"),
        "size whose product overflows 64 bits": (
            v2(size=tuple_of(number(2**62), number(4)), stride=tuple_of(number(4), number(1))),
            "reaches element",
        ),
        "stride negative": (v2(stride=tuple_of(number(-1))), "stride[0] is -1"),
        "stride beyond the storage": (v2(stride=tuple_of(number(2))), "reaches element 6"),
        "stride whose product overflows 64 bits": (v2(stride=tuple_of(number(2**62))), "reaches element"),
        "strides missing": (v2(stride=b")"), "1 sizes and 0 strides"),
        "nine dimensions": (v2(size=tuple_of(*[number(1)] * 9), stride=tuple_of(*[number(1)] * 9)), "9 dimensions"),
        "stride 0 bomb": (v2(size=tuple_of(number(2**40)), stride=tuple_of(number(0))), "more than 4 times the file's"),
        "stride 0 bomb of eight dimensions": (
            v2(size=tuple_of(*[number(2**20)] * 8), stride=tuple_of(*[number(0)] * 8)),
            "more than 4 times",
        ),
        "requires_grad a string": (v2(grad=text("x")), "requires_grad of _rebuild_tensor_v2 is a string"),
        "hooks that call": (
            v2(hooks=call("collections.OrderedDict", b"](" + tuple_of(text("a"), name("torch.Size")) + b"e")),
            "not an empty",
        ),
        "hooks a dict": (v2(hooks=b"}"), "hooks of _rebuild_tensor_v2 are a dict"),
        "storage a string": (v2(storage=text("0")), "_rebuild_tensor_v2 of a string"),
        "storage a tensor": (v2(storage=tensor(storage(), (4,), (1,))), "_rebuild_tensor_v2 of a tensor"),
        "two arguments": (
            pickled(call("torch._utils._rebuild_tensor_v2", b"N", b"N")),
            "has 2 arguments, expected 6 or 7",
        ),
        "parameter of a string": (
            pickled(call("torch._utils._rebuild_parameter", text("a"), b"\x88", torch.ORDERED_DICT)),
            "of a string",
        ),
        "untyped storage in v2": (
            v2(storage=storage(kind="torch.storage.UntypedStorage", elements=16)),
            "without a type",
        ),
        "typed storage in v3": (
            pickled(
                call(
                    "torch._utils._rebuild_tensor_v3",
                    storage(),
                    number(0),
                    tuple_of(number(4)),
                    tuple_of(number(1)),
                    b"\x89",
                    torch.ORDERED_DICT,
                    name("torch.float32"),
                )
            ),
            "type of its own",
        ),
        "number type a function": (
            pickled(
                call(
                    "torch._utils._rebuild_tensor_v3",
                    storage(kind="torch.storage.UntypedStorage"),
                    number(0),
                    tuple_of(),
                    tuple_of(),
                    b"\x89",
                    torch.ORDERED_DICT,
                    name("torch.Size"),
                )
            ),
            "number type",
        ),
        "v3 beyond the storage": (
            pickled(
                call(
                    "torch._utils._rebuild_tensor_v3",
                    storage(kind="torch.storage.UntypedStorage", elements=16),
                    number(0),
                    tuple_of(number(5)),
                    tuple_of(number(1)),
                    b"\x89",
                    torch.ORDERED_DICT,
                    name("torch.float32"),
                )
            ),
            "reaches element 4",
        ),
        "persistent id a string": (pickled(text("x") + b"Q"), "not a storage reference"),
        "persistent id of a module": (
            persistent(text("module"), kind, key, cpu, number(4)),
            "'module' is not a storage reference",
        ),
        "persistent id with six parts": (persistent(text("storage"), kind, key, cpu, number(4), b"N"), "of 5 parts"),
        "storage type a call": (
            persistent(text("storage"), name("collections.OrderedDict"), key, cpu, number(4)),
            "storage type is global",
        ),
        "storage key a path": (
            persistent(text("storage"), kind, text("../0"), cpu, number(4)),
            "'../0' is not 1 to 10 digits",
        ),
        "storage key empty": (persistent(text("storage"), kind, text(""), cpu, number(4)), "not 1 to 10 digits"),
        "storage key of 11 digits": (
            persistent(text("storage"), kind, text("0" * 11), cpu, number(4)),
            "not 1 to 10 digits",
        ),
        "storage key of other digits": (
            persistent(text("storage"), kind, text("٣"), cpu, number(4)),
            "not 1 to 10 digits",
        ),
        "storage key an integer": (persistent(text("storage"), kind, number(0), cpu, number(4)), "not 1 to 10 digits"),
        "storage location a number": (
            persistent(text("storage"), kind, key, number(0), number(4)),
            "location is an integer",
        ),
        "storage size negative": (persistent(text("storage"), kind, key, cpu, number(-4)), "storage size is -4"),
        "storage missing": (v2(storage=storage("7")), "storage '7' is not in the archive"),
        "storage larger than its record": (v2(storage=storage(elements=5)), "has 16 bytes, expected 20"),
        "storage smaller than its record": (
            v2(storage=storage(elements=3), size=tuple_of(number(3))),
            "has 16 bytes, expected 12",
        ),
        "storage of 2^60 elements": (v2(storage=storage(elements=2**60)), "has 16 bytes, expected"),
        "storage of another width": (v2(storage=storage(kind="torch.DoubleStorage")), "has 16 bytes, expected 32"),
        "storage with two types": (
            pickled(
                dict_of(
                    ("a", tensor(storage(), (4,), (1,))), ("b", tensor(storage(kind="torch.IntStorage"), (4,), (1,)))
                )
            ),
            "two types or sizes",
        ),
        "weight of integers": (v2(storage=storage(kind="torch.IntStorage")), "type I32, expected one of F64"),
        "name with a newline": (pickled(dict_of(("a\nb", tensor(storage(), (4,), (1,))))), r"'a\nb'"),
        "name __metadata__": (pickled(dict_of(("__metadata__", tensor(storage(), (4,), (1,))))), "not a name"),
        "name of 4,096 letters": (pickled(dict_of(("n" * 4096, tensor(storage(), (4,), (1,))))), "not a name"),
        "name empty": (pickled(dict_of(("", tensor(storage(), (4,), (1,))))), "not a name"),
        "gamma and weight": (
            pickled(
                dict_of(
                    ("LayerNorm.gamma", tensor(storage(), (4,), (1,))),
                    ("LayerNorm.weight", tensor(storage(), (4,), (1,))),
                )
            ),
            "becomes 'LayerNorm.weight' as well",
        ),
    }


class PickleReader(ConverterTest):
    """Tests refusals. Each case is a whole archive with one pickle."""

    def check(self, cases: dict[str, tuple[bytes, str]]) -> None:
        """Expect that each case is refused, and that none ran or wrote anything."""
        for case, (pickle, words) in cases.items():
            with self.subTest(case):
                path = self.folder / "pytorch_model.bin"
                path.write_bytes(torch.torch_zip(pickle, FOUR))
                self.refuse(words, self.folder)
                self.assertEqual(
                    [item.name for item in self.folder.iterdir()], [path.name], "something was written or run"
                )

    def test_refuses_globals_by_name_and_runs_nothing(self) -> None:
        """The globals are functions of the system, of Python, of torch, and of the converter."""
        self.check(refused_globals(self.folder / "canary"))

    def test_refuses_opcodes_by_name(self) -> None:
        """These are all opcodes that a state dict does not need."""
        self.check(refused_opcodes(self.folder / "canary"))

    def test_refuses_wrong_structures(self) -> None:
        """The types, references or sizes are wrong."""
        cases = refused_structures()
        # Each dict contains the other: a is put into b, then b into a.
        cases["two dicts in each other"] = (
            pickled(b"}q\0" + text("b") + b"}q\1" + text("a") + b"h\0ss"),
            "contains itself",
        )
        self.check(cases)

    def test_refuses_tensors_that_lie(self) -> None:
        """The sizes, strides, storages or names are wrong."""
        self.check(refused_tensors())

    def test_refuses_a_bare_pickle_unread(self) -> None:
        """A pickle without an archive is recognised by its first byte, and not read."""
        path = self.folder / "pytorch_model.bin"
        path.write_bytes(pickled(call("os.system", command(self.folder / "canary"))))
        self.refuse("is a bare pickle", path)
        self.assertFalse((self.folder / "canary").exists())

    def test_every_truncation_is_refused(self) -> None:
        """A pickle cut anywhere is an error of one line."""
        whole = pickled(dict_of(("w", tensor(storage(), (4,), (1,)))))
        for size in range(len(whole)):
            with self.subTest(size):
                path = self.folder / "pytorch_model.bin"
                path.write_bytes(torch.torch_zip(whole[:size], FOUR))
                self.refuse("data.pkl", path)


if __name__ == "__main__":
    unittest.main()
