"""Tests the SQLite extension through Python's sqlite3: its results equal the program's, the database stores them, and
wrong calls are refused.

BERT_MEMORY_CALLS and BERT_MEMORY_LOADS set how many calls and loads the test of memory makes. With the defaults it
takes seconds."""

import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

EXTENSION = os.environ["BERT_SQLITE_EXTENSION"]
PROGRAM = os.environ["BERT_INFER_PROGRAM"]
TINY_MODELS = os.environ["BERT_TINY_MODELS"]
VEC = os.environ.get("BERT_SQLITE_VEC")
SOURCES = Path(__file__).resolve().parents[2]


def connect(path=":memory:"):
    database = sqlite3.connect(path, isolation_level=None, uri=True)
    database.enable_load_extension(True)
    database.load_extension(EXTENSION)
    return database


def one(database, query, *values):
    return database.execute(query, values).fetchone()[0]


def printed(*given):
    done = subprocess.run([PROGRAM, *given, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def floats(blob):
    return list(struct.unpack(f"<{len(blob) // 4}f", blob))


class Extension(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def registered(self, path=":memory:"):
        database = connect(path)
        self.addCleanup(database.close)
        database.execute("SELECT bert_register('small', NULL)")
        return database

    def tiny(self):
        (self.path / "models").mkdir()
        subprocess.run([TINY_MODELS, self.path / "models"], check=True, stdout=subprocess.DEVNULL)
        return self.path / "models" / "embedder"

    def fails(self, database, query, *parts):
        with self.assertRaises(sqlite3.Error, msg=query) as caught:
            database.execute(query).fetchall()
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        for part in parts:
            self.assertIn(part, message, query)
        return message

    def test_the_readmes_examples_print_what_it_says(self):
        readme = (SOURCES / "bindings" / "sqlite" / "README.md").read_text()
        blocks = [part.split("```")[0] for part in readme.split("```console\n")[1:]]
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            given, printed_lines = block.split("<<'END'\n")[1].split("\nEND\n")
            database = connect()
            self.addCleanup(database.close)
            if ".load vec0\n" in given:
                if not VEC:
                    self.skipTest("SKIPPED, no sqlite-vec (BERT_SQLITE_VEC names its file vec0)")
                database.load_extension(VEC)
            statements = "\n".join(line for line in given.split("\n") if not line.startswith(".load"))
            found = []
            for statement in statements.split(";"):
                found += ["|".join(map(str, row)) for row in database.execute(statement)]
            self.assertEqual(found, printed_lines.splitlines())

    def test_vectors_are_the_programs(self):
        database = self.registered()
        for text in ("A cat sat on the mat.", "Ein Satz 🎻"):
            blob = one(database, "SELECT bert_embed('small', ?)", text)
            expected = printed("embed", text)["embedding"]
            self.assertEqual(floats(blob), [struct.unpack("<f", struct.pack("<f", value))[0] for value in expected])
        vector = one(database, "SELECT bert_embed('small', 'a')")
        self.assertAlmostEqual(one(database, "SELECT bert_similarity(?, ?)", vector, vector), 1)
        for query in ("bert_embed('small', NULL)", "bert_embed(NULL, 'a')", "bert_similarity(NULL, NULL)",
                      "bert_rerank('small', 'a', NULL)"):
            self.assertIsNone(one(database, f"SELECT {query}"))
        number, text = (one(database, f"SELECT bert_embed('small', {value})") for value in ("12", "'12'"))
        self.assertEqual(number, text)

    def test_ranks_tokens_and_chunks(self):
        database = self.registered()
        database.execute("CREATE TABLE d(text)")
        texts = ["The stock market fell.", "A cat sat on the mat."]
        database.executemany("INSERT INTO d VALUES (?)", [(text,) for text in texts])
        best = one(database, "SELECT text FROM d ORDER BY bert_rerank('small', 'a cat on a mat', text) DESC")
        self.assertEqual(best, texts[1])
        text = "🎻 É a cat"
        rows = database.execute("""SELECT token, id, start, "end" FROM bert_tokens('small', ?)""", (text,)).fetchall()
        self.assertEqual([row[1] for row in rows], printed("tokenize", text)["ids"])
        token, _, start, end = next(row for row in rows if row[0] == "cat")
        self.assertEqual(text[start:end], token)
        query = """SELECT count(*) FROM d, bert_tokens('small', d.text) WHERE token = 'cat'"""
        self.assertEqual(one(database, query), 1)
        rows = database.execute("""SELECT start, "end", vector FROM bert_chunks('small', 'A cat. A dog.')""").fetchall()
        self.assertEqual(["A cat. A dog."[start:end].strip() for start, end, _ in rows], ["A cat.", "A dog."])
        self.assertEqual(len(database.execute("SELECT * FROM bert_chunks('small', 'a b c d e f', 2)").fetchall()), 3)
        self.assertEqual(database.execute("SELECT * FROM bert_tokens('small', NULL)").fetchall(), [])

    def test_what_is_wrong_is_one_line(self):
        database = self.registered()
        empty = self.path / "empty"
        empty.mkdir()
        database.execute("SELECT bert_register('gliner', ?)", (str(self.tiny().parent / "firing-gliner"),))
        cases = [
            ("SELECT bert_embed('other', 'a')", "no model 'other' in this database", "bert_register('other'"),
            ("SELECT bert_embed('small', x'00')", "text: found a blob of 1 bytes, expected a text"),
            ("SELECT bert_embed(x'01', 'a')", "model: found a blob"),
            ("SELECT bert_similarity('a', 'b')", "a: found a text, expected a vector of bert_embed"),
            ("SELECT bert_similarity(x'00000000', x'0000000000000000')", "vectors of 1 and 2 numbers"),
            ("SELECT bert_similarity(x'0000', x'0000')", "a: found a blob of 2 bytes"),
            ("SELECT bert_register('x', '/no/such/folder')", "/no/such/folder"),
            (f"SELECT bert_register('x', '{empty}')", str(empty)),
            ("SELECT bert_register('x', '')", "directory: found ''"),
            ("SELECT bert_register(NULL, NULL)", "name: found NULL"),
            ("SELECT bert_embed('small', CAST(x'ff' AS TEXT))", "UTF-8"),
            ("SELECT * FROM bert_tokens('small')", "bert_tokens needs at least 2 arguments"),
            ("SELECT * FROM bert_tokens", "bert_tokens needs at least 2 arguments"),
            ("SELECT * FROM bert_tokens('other', 'a')", "no model 'other'"),
            ("SELECT * FROM bert_entities('small', 'a')", "has no head for"),
            ("SELECT * FROM bert_entities('small', 'a', 'person')", "does not read labels"),
            ("SELECT * FROM bert_chunks('small', 'a', 0)", "tokens: found the integer 0"),
            ("SELECT * FROM bert_chunks('small', 'a', 'x')", "tokens: found a text"),
            ("SELECT * FROM bert_chunks('small', 'a', -1)", "tokens: found the integer -1"),
            ("SELECT * FROM bert_chunks('small', 'a', 1.5)", "tokens: found a number"),
            ("SELECT * FROM bert_chunks('small', 'a', NULL)", "tokens: found NULL"),
            ("SELECT * FROM bert_chunks('small', x'00')", "text: found a blob"),
            ("SELECT * FROM bert_entities('small', 'a', NULL)", "labels: found NULL"),
            ("SELECT * FROM bert_entities('gliner', 'a', '')", "no labels"),
            ("SELECT * FROM bert_entities('gliner', 'a', ' , ,')", "no labels"),
            ("SELECT * FROM bert_entities('gliner', 'a')", "has no head for"),
            ("SELECT * FROM bert_entities('gliner', CAST(x'c3' AS TEXT), 'dog')", "UTF-8"),
            ("SELECT * FROM bert_entities(x'00', 'a')", "model: found a blob"),
            ("SELECT * FROM bert_tokens('small', CAST(x'eda080' AS TEXT))", "UTF-8"),
            ("SELECT * FROM bert_tokens(NULL, 'a')", "model: found NULL"),
            ("SELECT * FROM bert_tokens('small', 'a', 1)", "too many arguments"),
            ("SELECT bert_embed('small', CAST(x'eda080' AS TEXT))", "UTF-8"),
            ("SELECT bert_embed('', 'a')", "no model ''"),
            ("SELECT bert_embed('sm' || char(0) || 'all', 'a')", "no model"),
            ("SELECT bert_rerank('small', 'a', x'61')", "text: found a blob"),
            ("SELECT bert_rerank('small', CAST(x'ff' AS TEXT), 'a')", "UTF-8"),
            ("SELECT bert_rerank('small', 'a')", "wrong number of arguments"),
            ("SELECT bert_similarity(1, 2)", "a: found the integer 1"),
            ("SELECT bert_similarity(x'', x'')", "a: found a blob of 0 bytes"),
            ("SELECT bert_similarity(x'00000000', 1.5)", "b: found a number"),
            ("SELECT bert_similarity(x'0000c07f', x'0000803f')", "NaN"),
            ("SELECT bert_register('x', x'2f')", "directory: found a blob"),
            ("SELECT bert_register('x', 1)", "'1'"),
            ("SELECT bert_register('x', '.' || char(0) || 'y')", "directory: found a zero character"),
            (f"SELECT bert_register('x', '{empty}/config.json')", str(empty)),
            ("SELECT bert_register('x')", "wrong number of arguments"),
            ("SELECT bert_version(1)", "wrong number of arguments"),
            ("SELECT bert_embed('small')", "wrong number of arguments"),
        ]
        self.assertGreaterEqual(len(cases), 40)
        for query, *parts in cases:
            self.fails(database, query, *parts)
        database.execute("CREATE VIEW v AS SELECT bert_register('y', NULL)")
        self.fails(database, "SELECT * FROM v", "unsafe use of bert_register")
        self.assertEqual(len(one(database, "SELECT bert_embed('small', ?)", "a cat " * 1_000_000)) % 4, 0)

    def test_indexes_and_generated_columns_hold_what_is_computed(self):
        database = self.registered(self.path / "a.db")
        database.execute("CREATE TABLE t(text TEXT, vector BLOB AS (bert_embed('small', text)) STORED)")
        score = "bert_similarity(bert_embed('small', text), bert_embed('small', 'a cat'))"
        database.execute(f"CREATE INDEX near ON t({score})")
        database.executemany("INSERT INTO t(text) VALUES (?)", [("a cat sat",), ("stocks fell",)])
        computed = one(database, "SELECT bert_embed('small', 'a cat sat')")
        self.assertEqual(one(database, "SELECT vector FROM t"), computed)
        query = f"SELECT text FROM t ORDER BY {score} DESC"
        self.assertEqual(one(database, query), "a cat sat")
        plan = " ".join(str(row) for row in database.execute("EXPLAIN QUERY PLAN " + query))
        self.assertIn("INDEX near", plan)
        self.assertEqual(one(database, "PRAGMA integrity_check"), "ok")
        # A second connection computes the same index entries. One that does not trust the schema refuses the function.
        other = connect(self.path / "a.db")
        self.addCleanup(other.close)
        self.assertEqual(one(other, "PRAGMA integrity_check"), "ok")
        other.execute("PRAGMA trusted_schema = OFF")
        self.fails(other, "INSERT INTO t(text) VALUES ('x')", "unsafe use of bert_embed")

    def test_a_changed_model_is_an_error_that_names_reindex(self):
        folder = self.tiny()
        database = connect(self.path / "a.db")
        self.addCleanup(database.close)
        digest = one(database, "SELECT bert_register('m', ?)", str(folder))
        database.execute("CREATE TABLE t(text TEXT)")
        database.execute("CREATE INDEX i ON t(bert_embed('m', text))")
        database.execute("INSERT INTO t VALUES ('a fox')")
        before = one(database, "SELECT bert_embed('m', 'a fox')")
        weights = folder / "model.safetensors"
        changed = bytearray(weights.read_bytes())
        changed[len(changed) // 2 :: 4] = bytes(byte ^ 1 for byte in changed[len(changed) // 2 :: 4])
        (folder / "new").write_bytes(changed)
        os.replace(folder / "new", weights)
        # A connection keeps the model that it has loaded: the new file replaces the old one and does not overwrite it.
        self.assertEqual(one(database, "SELECT bert_embed('m', 'a fox')"), before)
        other = connect(self.path / "a.db")
        self.addCleanup(other.close)
        self.fails(other, "SELECT bert_embed('m', 'a fox')", "its files have the digest", digest, "REINDEX")
        self.assertNotEqual(one(other, "SELECT bert_register('m', ?)", str(folder)), digest)
        other.execute("REINDEX")
        after = one(other, "SELECT bert_embed('m', 'a fox')")
        self.assertNotEqual(after, before)
        self.assertEqual(one(database, "SELECT bert_embed('m', 'a fox')"), after)
        self.assertEqual(one(database, "PRAGMA integrity_check"), "ok")
        changed[-6] ^= 0x20
        weights.write_bytes(changed)
        self.fails(database, "INSERT INTO t VALUES ('b')", "model 'm'", "REINDEX")
        shutil.rmtree(folder)
        self.fails(database, "SELECT bert_embed('m', 'b')", str(folder))

    def test_another_version_of_the_library_is_an_error(self):
        database = self.registered()
        database.execute("UPDATE bert_models SET version = '0.0.9'")
        message = self.fails(database, "SELECT bert_embed('small', 'a')", "registered with version 0.0.9", "REINDEX")
        self.assertIn("this is " + one(database, "SELECT bert_version()"), message)
        database.execute("SELECT bert_register('small', NULL)")
        one(database, "SELECT bert_embed('small', 'a')")

    def test_a_registration_that_is_rolled_back_is_gone(self):
        database = connect(self.path / "a.db")
        self.addCleanup(database.close)
        database.execute("BEGIN")
        database.execute("SELECT bert_register('small', NULL)")
        one(database, "SELECT bert_embed('small', 'a')")
        database.execute("ROLLBACK")
        self.fails(database, "SELECT bert_embed('small', 'a')", "no model 'small'")
        database.execute("SELECT bert_register('small', NULL)")
        one(database, "SELECT bert_embed('small', 'a')")

    def expect_flat(self, name, count, call):
        """Compares the memory after a tenth of the calls with that after all of them."""

        def resident():
            return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

        call(max(count // 10, 1))
        before = resident()
        call(count - count // 10)
        after = resident()
        print(f"{name}: {count} calls, {before >> 10} to {after >> 10} KiB")
        self.assertLess(after, before + (8 << 20), name)

    def test_many_calls_of_each_kind_keep_memory_flat(self):
        folder = self.tiny().parent
        database = connect()
        self.addCleanup(database.close)
        for name in ("embedder", "classes", "firing-tagger", "firing-gliner"):
            one(database, "SELECT bert_register(?, ?)", name, str(folder / name))
        text = "'the quick brown fox ' || (value % 7)"
        calls = {
            "bert_embed": f"length(bert_embed('embedder', {text}))",
            "bert_similarity": "bert_similarity(zeroblob(16) , x'0000803f0000803f0000803f0000803f')",
            "bert_rerank": f"bert_rerank('embedder', 'the dog', {text})",
            "bert_tokens": f"(SELECT count(token) FROM bert_tokens('embedder', {text}))",
            "bert_chunks": f"(SELECT count(vector) FROM bert_chunks('embedder', {text}, 2))",
            "bert_entities": f"(SELECT count(label) FROM bert_entities('firing-tagger', {text}))",
            "labels": f"(SELECT count(word) FROM bert_entities('firing-gliner', {text}, 'dog, coding'))",
        }
        for name, expression in calls.items():
            steps = "SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ?"
            query = f"WITH RECURSIVE numbers(value) AS ({steps}) SELECT count({expression}) FROM numbers"
            self.expect_flat(name, int(os.environ.get("BERT_MEMORY_CALLS", 1500)),
                             lambda count, query=query: self.assertEqual(one(database, query, count), count))

        def errors(count):
            for _ in range(count):
                self.fails(database, "SELECT bert_embed('embedder', CAST(x'ff' AS TEXT))", "UTF-8")

        self.expect_flat("an error", int(os.environ.get("BERT_MEMORY_CALLS", 1500)), errors)

    def test_many_connections_and_models_keep_memory_flat(self):
        folder = self.tiny()
        for directory in (None, str(folder)):
            def loads(count, directory=directory):
                for _ in range(count):
                    again = connect()
                    again.execute("SELECT bert_register('small', ?)", (directory,))
                    one(again, "SELECT bert_embed('small', 'a')")
                    again.close()

            self.expect_flat(directory or "the built-in model", int(os.environ.get("BERT_MEMORY_LOADS", 40)), loads)

    def test_two_processes_write_one_database(self):
        path = self.path / "a.db"
        database = self.registered(path)
        database.execute("CREATE TABLE t(text TEXT, vector BLOB AS (bert_embed('small', text)) STORED)")
        database.execute("CREATE INDEX near ON t(bert_similarity(vector, bert_embed('small', 'a cat')))")
        script = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
database.enable_load_extension(True)
database.load_extension(sys.argv[2])
for i in range(30):
    database.execute("INSERT INTO t(text) VALUES (?)", (f"{sys.argv[3]} {i}",))
"""
        writers = [subprocess.Popen([sys.executable, "-c", script, path, EXTENSION, name]) for name in ("cat", "dog")]
        self.assertEqual([writer.wait(120) for writer in writers], [0, 0])
        self.assertEqual(one(database, "SELECT count(*) FROM t"), 60)
        self.assertEqual(one(database, "SELECT count(*) FROM t WHERE vector IS NOT bert_embed('small', text)"), 0)
        self.assertEqual(one(database, "PRAGMA integrity_check"), "ok")

    def test_a_rolled_back_transaction_leaves_no_row_and_no_entry_of_the_index(self):
        database = self.registered(self.path / "a.db")
        score = "bert_similarity(bert_embed('small', text), bert_embed('small', 'a cat'))"
        database.execute("CREATE TABLE t(text TEXT)")
        database.execute(f"CREATE INDEX near ON t({score})")
        database.execute("INSERT INTO t VALUES ('a cat sat')")
        database.execute("BEGIN")
        database.execute("INSERT INTO t VALUES ('a dog ran')")
        self.fails(database, "INSERT INTO t VALUES (CAST(x'ff' AS TEXT))", "UTF-8")
        database.execute("ROLLBACK")
        self.assertEqual(database.execute(f"SELECT text FROM t ORDER BY {score}").fetchall(), [("a cat sat",)])
        self.assertEqual(one(database, "PRAGMA integrity_check"), "ok")
        # A row that cannot be computed is not stored, nor is another row of its statement.
        self.fails(database, "INSERT INTO t VALUES ('fine'), (CAST(x'ff' AS TEXT))", "UTF-8")
        self.assertEqual(one(database, "SELECT count(*) FROM t"), 1)

    def test_what_is_not_read_of_a_long_text_is_counted_or_an_error(self):
        folder = self.tiny().parent
        database = connect()
        self.addCleanup(database.close)
        for name in ("embedder", "firing-tagger"):
            one(database, "SELECT bert_register(?, ?)", name, str(folder / name))
        long = "the brown fox " * 60
        tokens = one(database, "SELECT count(*) FROM bert_tokens('embedder', ?)", long)
        most = printed("inspect", "--model", str(folder / "embedder"))["max_length"]
        self.assertEqual(one(database, "SELECT bert_truncated('embedder', ?)", long), tokens - most)
        self.assertEqual(one(database, "SELECT bert_truncated('embedder', 'a fox')"), 0)
        self.assertIsNone(one(database, "SELECT bert_truncated('embedder', NULL)"))
        cut = one(database, "SELECT bert_embed('embedder', ?)", long)
        self.assertEqual(one(database, "SELECT bert_embed('embedder', ?, 'cut')", long), cut)
        for query in (f"SELECT bert_embed('embedder', '{long}', 'error')",
                      f"SELECT bert_rerank('embedder', 'a', '{long}', 'error')"):
            self.fails(database, query, "tokens")
        self.assertEqual(one(database, "SELECT bert_embed('embedder', 'a', 'error')"),
                         one(database, "SELECT bert_embed('embedder', 'a')"))
        self.fails(database, "SELECT bert_embed('embedder', 'a', 'windows')", "long_text: found 'windows'")
        self.assertEqual(one(database, "SELECT count(*) FROM bert_entities('firing-tagger', ?)", long), 60)

    def test_places_of_many_entities_take_time_that_grows_with_the_text(self):
        folder = self.tiny().parent
        database = connect()
        self.addCleanup(database.close)
        one(database, "SELECT bert_register('tagger', ?)", str(folder / "firing-tagger"))

        def seconds(text):
            begin = time.perf_counter()
            rows = database.execute("SELECT start, \"end\", word FROM bert_entities('tagger', ?)", (text,)).fetchall()
            took = time.perf_counter() - begin
            self.assertTrue(all(text[start:end] == word for start, end, word in rows))
            self.assertEqual(len(rows), text.count("brown fox"))
            return took

        text = "é brown fox " * 1_500
        once, twice = seconds(text), seconds(text * 2)
        self.assertLess(twice, 2.5 * once + 0.3)

    def test_an_interrupt_ends_a_long_call(self):
        """SQLite calls the progress handler in the statements by which bert_entities checks for an interrupt."""
        folder = self.tiny().parent
        database = connect()
        self.addCleanup(database.close)
        one(database, "SELECT bert_register('tagger', ?)", str(folder / "firing-tagger"))
        query, text = "SELECT count(*) FROM bert_entities('tagger', ?)", "the brown fox " * 3_000
        calls, last = 0, None

        def handler():
            nonlocal calls
            calls += 1
            return int(calls == last)

        database.set_progress_handler(handler, 1)
        self.assertEqual(one(database, query, text), 3_000)
        self.assertGreater(calls, 100)
        calls, last = 0, calls // 2
        with self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
            database.execute(query, (text,)).fetchall()
        self.assertEqual(calls, last)
        database.set_progress_handler(None, 1)
        self.assertEqual(one(database, query, "a brown fox"), 1)

    def test_a_table_that_calls_the_extension_is_an_error(self):
        row = "'small' AS name, '' AS directory, hex(bert_embed('small', 'a')) AS digest, '0' AS version"
        for schema in (f"CREATE VIEW bert_models AS SELECT {row}",
                       f"CREATE VIEW inner AS SELECT {row}; CREATE VIEW bert_models AS SELECT * FROM inner"):
            database = connect()
            self.addCleanup(database.close)
            database.executescript(schema)
            self.fails(database, "SELECT bert_embed('small', 'a')", "bert_models calls a function of this extension")

    def test_a_database_that_cannot_be_written_has_its_models_in_the_connection(self):
        path = self.path / "a.db"
        sqlite3.connect(path).executescript("CREATE TABLE notes(text); INSERT INTO notes VALUES ('a cat')")
        database = connect(f"file:{path}?mode=ro")
        self.addCleanup(database.close)
        expected = one(self.registered(), "SELECT bert_embed('small', 'a cat')")
        self.fails(database, "SELECT bert_embed('small', text) FROM notes", "no model 'small'")
        database.execute("SELECT bert_register('small', NULL)")
        self.assertEqual(one(database, "SELECT bert_embed('small', text) FROM notes"), expected)
        self.assertEqual(sqlite3.connect(path).execute("SELECT name FROM sqlite_schema").fetchall(), [("notes",)])

    def test_a_relative_directory_is_kept_as_an_absolute_one(self):
        folder = self.tiny()
        path = self.path / "a.db"
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.parent)
        database = connect(path)
        self.addCleanup(database.close)
        one(database, "SELECT bert_register('tiny', 'embedder')")
        expected = one(database, "SELECT bert_embed('tiny', 'a cat')")
        os.chdir("/")
        other = connect(path)
        self.addCleanup(other.close)
        self.assertEqual(one(other, "SELECT bert_embed('tiny', 'a cat')"), expected)

    def test_connections_share_a_model(self):
        """A second connection loads no second model, and so starts no threads."""
        def tasks():
            return len(os.listdir("/proc/self/task"))

        first = self.registered()
        one(first, "SELECT bert_embed('small', 'a cat')")
        before = tasks()
        others = [self.registered() for _ in range(8)]
        for other in others:
            one(other, "SELECT bert_embed('small', 'a cat')")
        self.assertEqual(tasks(), before)

    def test_a_vector_without_memory_for_it_is_an_error(self):
        limited = f"""
import sqlite3
database = sqlite3.connect(":memory:")
database.enable_load_extension(True)
database.load_extension({EXTENSION!r})
database.execute("PRAGMA hard_heap_limit = 10000000")
try:
    database.execute("SELECT bert_similarity(zeroblob(400000000), zeroblob(400000000))").fetchall()
except (sqlite3.Error, MemoryError) as error:
    print(type(error).__name__)
"""
        done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "MemoryError\n")

    def test_connections_of_several_threads_are_right_at_once(self):
        path = self.path / "a.db"
        expected = one(self.registered(path), "SELECT bert_embed('small', 'a cat')")
        found = []

        def work():
            database = connect(path)
            for _ in range(20):
                found.append(one(database, "SELECT bert_embed('small', 'a cat')"))
            database.close()

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 120)


if __name__ == "__main__":
    unittest.main()
