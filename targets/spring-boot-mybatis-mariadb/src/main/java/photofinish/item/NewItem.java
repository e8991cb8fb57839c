package photofinish.item;

/** The body of an insert: a row without its key and time, which the database gives. */
public record NewItem(String name, String code, String note) {}
