"""Tests that clients of databases accept vectors unchanged: DuckDB with its extension vss, pgvector and Weaviate.

Needs duckdb-ext-vss (which contains the extension for its version of duckdb), pgvector and weaviate-client.
"""

import unittest
from pathlib import Path

import bert_infer
import duckdb
import duckdb_ext
import numpy as np
import pgvector
from weaviate.util import get_vector

TEXTS = ["A man plays the guitar.", "Somebody makes music.", "The stock market fell.", "She sings a song."]
QUERY = "a song on the guitar"


class VectorStores(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = bert_infer.Model()
        cls.vectors = cls.model.encode(TEXTS, normalize_embeddings=True)
        cls.query = cls.model.encode_query(QUERY, normalize_embeddings=True)

    def test_duckdb_finds_what_an_index_finds(self) -> None:
        kind = f"float[{self.model.embedding_size()}]"
        (extension,) = Path(next(iter(duckdb_ext.__path__))).rglob("vss.duckdb_extension")
        table = duckdb.connect()
        table.execute(f"load '{extension}'")
        table.execute(f"create table texts (id int, vector {kind})")
        table.executemany("insert into texts values (?, ?)", list(enumerate(self.vectors)))
        table.execute("create index cosines on texts using hnsw (vector) with (metric = 'cosine')")
        search = f"select id from texts order by array_cosine_distance(vector, ?::{kind}) limit 4"
        self.assertIn("HNSW_INDEX_SCAN", str(table.execute(f"explain {search}", [self.query]).fetchall()))
        found = [row[0] for row in table.execute(search, [self.query]).fetchall()]
        self.assertEqual(found, bert_infer.Index(self.vectors).search(self.query, 4)[1].tolist())

    def test_duckdb_calls_a_model_as_a_function(self) -> None:
        table = duckdb.connect()
        kind = f"float[{self.model.embedding_size()}]"
        table.create_function("embed", lambda text: self.model.encode(text).tolist(), ["varchar"], kind)
        (found,) = table.execute("select embed(?)", [TEXTS[0]]).fetchone()
        self.assertEqual(np.float32(found).tolist(), self.model.encode(TEXTS[0]).tolist())

    def test_pgvector_takes_each_kind(self) -> None:
        sent = pgvector.Vector.from_binary(pgvector.Vector(self.vectors[0]).to_binary())
        self.assertEqual(sent.to_numpy().tolist(), self.vectors[0].tolist())
        half = pgvector.HalfVector(self.vectors[0]).to_numpy()
        self.assertEqual(half.tolist(), self.vectors[0].astype(np.float16).tolist())
        ids, weights = self.model.encode_sparse(QUERY, max_active_dims=5)
        sparse = pgvector.SparseVector(dict(zip(ids.tolist(), weights.tolist())), self.model.sparse_size())
        self.assertEqual((sparse.indices(), sparse.values()), (ids.tolist(), weights.tolist()))
        (bits, *_) = self.model.encode(TEXTS, precision="ubinary")
        expected = "".join("1" if number > 0 else "0" for number in self.model.encode(TEXTS[0]))
        self.assertEqual(pgvector.Bit(bits.tobytes()).to_text(), expected)

    def test_weaviate_takes_an_array(self) -> None:
        self.assertEqual(get_vector(self.vectors[0]), self.vectors[0].tolist())


if __name__ == "__main__":
    unittest.main()
