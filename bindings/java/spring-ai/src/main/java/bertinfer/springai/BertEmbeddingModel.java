package bertinfer.springai;

import bertinfer.Model;
import java.util.ArrayList;
import java.util.List;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.AbstractEmbeddingModel;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;

/** Makes a model usable as an embedding model of Spring AI. The caller closes the model. */
public final class BertEmbeddingModel extends AbstractEmbeddingModel {
  private final Model model;
  private final Model.EmbedOptions options;

  public BertEmbeddingModel(Model model) {
    this(model, Model.EmbedOptions.DEFAULT);
  }

  public BertEmbeddingModel(Model model, Model.EmbedOptions options) {
    this.model = model;
    this.options = options;
  }

  @Override public EmbeddingResponse call(EmbeddingRequest request) {
    List<Embedding> made = new ArrayList<>();
    for (Model.Vector vector : model.embed(request.getInstructions(), options, null)) {
      made.add(new Embedding(vector.data(), made.size()));
    }
    return new EmbeddingResponse(made);
  }

  @Override public float[] embed(Document document) {
    return model.embed(document.getText(), options).data();
  }
}
