package photofinish.item;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.LocalDateTime;

/** A row of the table. Order and formats are fixed: every version answers with the same bytes. */
@JsonPropertyOrder({"id", "name", "code", "note", "created"})
public class Item {
  public long id;
  public String name;
  public String code;
  public String note;

  @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")
  public LocalDateTime created;
}
