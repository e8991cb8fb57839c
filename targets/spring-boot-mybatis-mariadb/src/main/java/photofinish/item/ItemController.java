package photofinish.item;

import java.util.List;
import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The three workloads of the study. */
@RestController
public class ItemController {
  private final ItemMapper items;

  public ItemController(ItemMapper items) {
    this.items = items;
  }

  /** One row; the auto-increment key is not sent. */
  @PostMapping("/insert")
  public Inserted insert(@RequestBody NewItem item) {
    return new Inserted(items.insert(item));
  }

  /** The rows from id to id + 10: eleven in a full table. */
  @GetMapping("/range")
  public List<Item> range(@RequestParam("id") long id) {
    return items.range(id);
  }

  /** One row by its key; 404 where there is none. */
  @GetMapping("/key")
  public ResponseEntity<Item> byKey(@RequestParam("id") long id) {
    return ResponseEntity.of(Optional.ofNullable(items.byKey(id)));
  }
}
