package photofinish.springweb.mvc;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring MVC: a request holds its thread until it is answered. */
@RestController
public class MvcController {
  @GetMapping("/hello")
  public String hello() {
    return "world";
  }

  /** What Quarkus and others answer, to be compared with them; no study of the published comparison asks for it. */
  @GetMapping(path = "/plaintext", produces = MediaType.TEXT_PLAIN_VALUE)
  public String plaintext() {
    return "Hello, World!";
  }

  /** Blocks Tomcat's worker, so 200 workers make at most 2,000 answers a second. */
  @GetMapping("/sleep")
  public String sleep() throws InterruptedException {
    Thread.sleep(100);
    return "world";
  }
}
