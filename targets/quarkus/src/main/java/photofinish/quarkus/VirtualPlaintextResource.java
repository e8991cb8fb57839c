package photofinish.quarkus;

import io.quarkus.arc.properties.IfBuildProperty;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** The same answer from a virtual thread for each request. Which of the two is built in is fixed by app.threads. */
@Path("/plaintext")
@IfBuildProperty(name = "app.threads", stringValue = "virtual")
public class VirtualPlaintextResource {
  @GET
  @Produces(MediaType.TEXT_PLAIN)
  @RunOnVirtualThread
  public String plaintext() {
    return "Hello, World!";
  }
}
