import bertinfer.Explanation;
import bertinfer.Model;
import bertinfer.Task;
import bertinfer.Tasks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the cases of every binding (tests/cases/cases.jsonl), with offsets in UTF-16 units. */
final class Cases {
  private Cases() {}

  /** Returns a case's expected result with offsets in UTF-16 units only. */
  static Object expected(Object value) {
    if (value instanceof List<?> list) return list.stream().map(Cases::expected).toList();
    if (!(value instanceof Map<?, ?> map)) return value;
    Map<Object, Object> kept = new LinkedHashMap<>();
    map.forEach((name, one) -> {
      if (!name.equals("bytes") && !name.equals("codePoints")) kept.put(name, expected(one));
    });
    return kept;
  }

  /** Returns the value in JSON's types: each number is a double. */
  static Object asJson(Object value) {
    if (value instanceof Number number) return number.doubleValue();
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> made = new LinkedHashMap<>();
      map.forEach((name, one) -> made.put(name, asJson(one)));
      return made;
    }
    List<Object> made = new ArrayList<>();
    if (value instanceof int[] all) for (int one : all) made.add((double) one);
    else if (value instanceof double[] all) for (double one : all) made.add(one);
    else if (value instanceof List<?> all) for (Object one : all) made.add(asJson(one));
    else return value;
    return made;
  }

  private static List<List<Long>> places(long[] starts, long[] ends) {
    List<List<Long>> made = new ArrayList<>();
    for (int i = 0; i < starts.length; ++i) made.add(List.of(starts[i], ends[i]));
    return made;
  }

  @SuppressWarnings("unchecked")
  private static List<String> texts(Map<String, Object> c, String name) {
    return (List<String>) c.get(name);
  }

  private static Long size(Map<String, Object> c, String name) {
    return c.get(name) instanceof Double number ? Long.valueOf(number.longValue()) : null;
  }


  private static <T extends Enum<T>> void word(Map<String, Object> c, String name, Class<T> of, Consumer<T> setter) {
    if (c.get(name) != null) setter.accept(Enum.valueOf(of, ((String) c.get(name)).toUpperCase(Locale.ROOT)));
  }

  private static <R> R run(Model model, Task<R> task, Map<String, Object> c) {
    Task.Input input = Task.Input.of((String) c.get("text"), (String) c.get("pair"));
    return model.run(task, List.of(input), null).get(0).get();
  }

  private static Object labels(List<Tasks.Label> found) {
    return found.stream().map(one -> Map.of("label", one.label(), "score", one.score())).toList();
  }

  private static List<String> names(List<Task.Item> parts) {
    return parts.stream().map(Task.Item::text).toList();
  }

  private static Object explained(Explanation why) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("first", names(why.first()));
    found.put("second", names(why.second()));
    found.put("terms", why.terms());
    Explanation.Score score = why.scores().get(0);
    if (score.label().isEmpty()) {
      found.put("kind", why.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '));
      found.put("function", why.function());
      found.put("score", score.score());
      found.put("remainder", score.remainder());
    } else {
      found.put("labels", why.scores().stream()
          .map(one -> Map.of("label", one.label(), "score", one.score(), "remainder", one.remainder())).toList());
    }
    return found;
  }

  static Object result(Model model, Map<String, Object> c) {
    String text = (String) c.get("text"), pair = (String) c.get("pair");
    switch ((String) c.get("call")) {
      case "tokenize": {
        Model.Tokens tokens = model.tokenize(text, pair, 0);
        return Map.of("ids", tokens.ids(), "typeIds", tokens.typeIds(), "utf16", places(tokens.starts(), tokens.ends()));
      }
      case "embed": {
        Long dimensions = size(c, "dimensions");
        Model.EmbedOptions how = Model.EmbedOptions.DEFAULT.withDimensions(dimensions == null ? 0 : dimensions);
        return model.embed(texts(c, "texts"), how, null).stream().map(one -> Tests.digest(one.data())).toList();
      }
      case "sparse":
        return model.embedSparse(texts(c, "texts"), size(c, "maxActive"), null).stream()
            .map(one -> Map.of("ids", one.ids(), "weights", Tests.digest(one.weights()))).toList();
      case "classify", "scoreLabels": {
        Tasks.ClassifyOptions task = new Tasks.ClassifyOptions();
        task.labels(texts(c, "labels")).multiLabel((Boolean) c.get("multiLabel")).stride(size(c, "stride"));
        word(c, "windowScores", Tasks.WindowScores.class, task::windowScores);
        return labels(run(model, task, c));
      }
      case "zeroShot": {
        Tasks.ZeroShotOptions task = new Tasks.ZeroShotOptions();
        task.labels(texts(c, "labels")).multiLabel((Boolean) c.get("multiLabel")).stride(size(c, "stride"));
        task.hypothesisTemplate((String) c.get("template"));
        word(c, "windowScores", Tasks.WindowScores.class, task::windowScores);
        return labels(run(model, task, c));
      }
      case "tag", "findEntities": {
        Tasks.TagOptions task = new Tasks.TagOptions().labels(texts(c, "labels")).stride(size(c, "stride"));
        task.threshold((Double) c.get("threshold")).nested((Boolean) c.get("nested"));
        word(c, "scheme", Tasks.Scheme.class, task::scheme);
        word(c, "aggregation", Tasks.Aggregation.class, task::aggregation);
        return run(model, task, c).stream().map(one -> Map.of("label", one.label(), "score", one.score(), "utf16",
            List.of(one.start(), one.end()))).toList();
      }
      case "answer": {
        Task.Input input = Task.Input.of((String) c.get("question"), (String) c.get("context"));
        Tasks.AnswerOptions task = new Tasks.AnswerOptions().topK(size(c, "topK"));
        return model.run(task, List.of(input), null).get(0).get().stream().map(one -> Map.of("answer", one.answer(),
            "score", one.score(), "utf16", List.of(one.start(), one.end()))).toList();
      }
      case "fillMask": {
        Tasks.FillMaskOptions task = new Tasks.FillMaskOptions().topK(size(c, "topK")).targets(texts(c, "targets"));
        return run(model, task, c).stream().map(mask -> mask.stream().map(one -> Map.of("token", one.token(), "id",
            one.id(), "score", one.score())).toList()).toList();
      }
      case "rerank": {
        Tasks.RerankOptions task = new Tasks.RerankOptions().query((String) c.get("query")).stride(size(c, "stride"));
        return model.rank(task, texts(c, "documents")).stream()
            .map(one -> Map.of("index", one.index(), "score", one.score())).toList();
      }
      case "tokenVectors":
        return Tests.digest(model.embedTokens(text, c.get("role").equals("query")).data());
      case "chunks": {
        Model.PartVectors chunks = model.embedChunks(text, 0, true, Model.EmbedOptions.DEFAULT);
        return Map.of("utf16", places(chunks.starts(), chunks.ends()), "vectors", Tests.digest(chunks.data()));
      }
      case "explainSimilarity": {
        Object kind = c.get("vectors");
        Explanation.Vectors vectors = kind == null ? Explanation.Vectors.DENSE
            : Explanation.Vectors.valueOf(((String) kind).toUpperCase(Locale.ROOT));
        Model.Pooling pooling = c.get("pooling") == null ? null : Model.Pooling.CLS;
        return explained(model.explainSimilarity((String) c.get("a"), (String) c.get("b"), vectors, pooling));
      }
      case "explainLabels":
        return explained(model.explainLabels(text, pair));
      default:
        throw new AssertionError(c);
    }
  }
}
