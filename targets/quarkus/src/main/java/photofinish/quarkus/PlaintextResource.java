package photofinish.quarkus;

import io.quarkus.arc.properties.IfBuildProperty;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/**
 * Quarkus's side of study 1, as published: a resource that returns a String. It blocks as far as
 * Quarkus can know, so it runs on a platform thread of the worker pool.
 */
@Path("/plaintext")
@IfBuildProperty(name = "app.threads", stringValue = "platform", enableIfMissing = true)
public class PlaintextResource {
  @GET
  @Produces(MediaType.TEXT_PLAIN)
  public String plaintext() {
    return "Hello, World!";
  }
}
