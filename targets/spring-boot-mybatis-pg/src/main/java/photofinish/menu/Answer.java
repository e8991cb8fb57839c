package photofinish.menu;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/** What every request gets; {@code data} is left out where there is none. */
@JsonPropertyOrder({"status", "msg", "data"})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Answer(int status, String msg, List<Menu> data) {}
