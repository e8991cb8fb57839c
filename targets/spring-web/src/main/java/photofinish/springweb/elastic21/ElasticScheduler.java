package photofinish.springweb.elastic21;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Reactor's own unbounded scheduler, as published. */
@Configuration
public class ElasticScheduler {
  @Bean(destroyMethod = "")
  public Scheduler elastic() {
    return Schedulers.elastic();
  }
}
