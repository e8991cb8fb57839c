package photofinish.menu;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.time.LocalDateTime;

/** A row of sys_menu. Order and formats are fixed: actix-web's answer has the same bytes. */
@JsonPropertyOrder({"id", "name", "show_flag", "create_date", "code", "parent_code"})
public class Menu {
  /** Text in JSON, because a numeric(24) is more than a JSON number can be trusted with. */
  @JsonFormat(shape = JsonFormat.Shape.STRING)
  public BigDecimal id;

  public String name;

  @JsonProperty("show_flag")
  public short showFlag;

  @JsonProperty("create_date")
  @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")
  public LocalDateTime createDate;

  public String code;

  @JsonProperty("parent_code")
  public String parentCode;
}
