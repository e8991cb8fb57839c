package photofinish.item;

import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

@Mapper
public interface ItemMapper {
  @Insert("INSERT INTO item (name, code, note) VALUES (#{name}, #{code}, #{note})")
  int insert(NewItem item);

  @Select("SELECT id, name, code, note, created FROM item WHERE id BETWEEN #{id} AND #{id} + 10")
  List<Item> range(long id);

  @Select("SELECT id, name, code, note, created FROM item WHERE id = #{id}")
  Item byKey(long id);
}
