package photofinish.menu;

import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

@Mapper
public interface MenuMapper {
  /** The published query. */
  @Select("SELECT id, name, show_flag, create_date, code, parent_code FROM sys_menu LIMIT 2")
  List<Menu> twoRows();
}
