import bertinfer.Model;
import dev.langchain4j.data.segment.TextSegment;
import java.util.Arrays;
import java.util.List;
import org.springframework.ai.document.Document;

/** Checks that the modules for langchain4j and Spring AI return the model's vectors. check_languages.sh runs it. */
public final class Adapters {
  private Adapters() {}

  private static void check(boolean holds) {
    if (!holds) throw new AssertionError();
  }

  public static void main(String[] given) {
    try (Model model = Model.builtin()) {
      float[] expected = model.embed("A man plays.");
      var langchain = new bertinfer.langchain4j.BertEmbeddingModel(model);
      var segments = List.of(TextSegment.from("A dog."), TextSegment.from("A man plays."));
      check(Arrays.equals(langchain.embed("A man plays.").content().vector(), expected));
      check(Arrays.equals(langchain.embedAll(segments).content().get(1).vector(), expected));
      check(langchain.embedAll(segments).tokenUsage().inputTokenCount() > 6);
      check(langchain.dimension() == expected.length);
      var spring = new bertinfer.springai.BertEmbeddingModel(model);
      check(Arrays.equals(spring.embed("A man plays."), expected));
      check(Arrays.equals(spring.embed(List.of("A dog.", "A man plays.")).get(1), expected));
      check(Arrays.equals(spring.embed(new Document("A man plays.")), expected));
      System.out.println("the model's vectors");
    }
  }
}
