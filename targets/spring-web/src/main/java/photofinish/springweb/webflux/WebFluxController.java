package photofinish.springweb.webflux;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Spring WebFlux: what blocks is moved to a scheduler, and how large that is decides. */
@RestController
public class WebFluxController {
  private final Scheduler elastic;

  public WebFluxController(Scheduler elastic) {
    this.elastic = elastic;
  }

  @GetMapping("/hello")
  public Mono<String> hello() {
    return Mono.just("world");
  }

  /** Blocks a thread of the parallel scheduler, one a core: at most cores × 10 answers a second. */
  @GetMapping("/sleep")
  public Mono<String> sleep() {
    return Mono.fromCallable(WebFluxController::world).subscribeOn(Schedulers.parallel());
  }

  /** The same on a scheduler without a bound: a thread for each request in flight. */
  @GetMapping("/sleep2")
  public Mono<String> sleep2() {
    return Mono.fromCallable(WebFluxController::world).subscribeOn(elastic);
  }

  private static String world() throws InterruptedException {
    Thread.sleep(100);
    return "world";
  }
}
