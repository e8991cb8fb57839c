package photofinish.springweb.mvc;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring MVC: a request holds its thread until it is answered. */
@RestController
public class MvcController {
  @GetMapping("/hello")
  public String hello() {
    return "world";
  }

  /** Blocks Tomcat's worker, so 200 workers make at most 2,000 answers a second. */
  @GetMapping("/sleep")
  public String sleep() throws InterruptedException {
    Thread.sleep(100);
    return "world";
  }
}
