package photofinish.menu;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/mee_auto")
public class EchoController {
  private final MenuMapper menus;

  public EchoController(MenuMapper menus) {
    this.menus = menus;
  }

  /** With the database. */
  @GetMapping("/echo2")
  public Answer withDatabase() {
    return new Answer(1, "two rows of a menu out of a database...", menus.twoRows());
  }

  /** Without it: JSON written for each request. */
  @GetMapping("/echo3")
  public Answer jsonOnly() {
    return new Answer(1, "a line of JSON, written for each request..", null);
  }
}
