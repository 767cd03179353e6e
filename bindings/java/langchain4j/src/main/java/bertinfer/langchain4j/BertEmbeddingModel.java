package bertinfer.langchain4j;

import bertinfer.Model;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import java.util.List;

/** Makes a model usable as an embedding model of langchain4j. The caller closes the model. */
public final class BertEmbeddingModel implements EmbeddingModel {
  private final Model model;
  private final Model.EmbedOptions options;

  public BertEmbeddingModel(Model model) {
    this(model, Model.EmbedOptions.DEFAULT);
  }

  public BertEmbeddingModel(Model model, Model.EmbedOptions options) {
    this.model = model;
    this.options = options;
  }

  @Override public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    List<Model.Vector> vectors = model.embed(segments.stream().map(TextSegment::text).toList(), options, null);
    int tokens = vectors.stream().mapToInt(vector -> (int) vector.report().tokens()).sum();
    return Response.from(vectors.stream().map(vector -> Embedding.from(vector.data())).toList(), new TokenUsage(tokens));
  }
}
