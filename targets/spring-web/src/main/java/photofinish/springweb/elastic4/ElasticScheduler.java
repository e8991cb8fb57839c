package photofinish.springweb.elastic4;

import java.util.concurrent.Executors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Today's equal of the published {@code Schedulers.elastic()}, which Reactor has dropped. Its
 * successor {@code boundedElastic()} has at most 10 threads a core and would be another race.
 */
@Configuration
public class ElasticScheduler {
  @Bean
  public Scheduler elastic() {
    return Schedulers.fromExecutorService(Executors.newCachedThreadPool());
  }
}
