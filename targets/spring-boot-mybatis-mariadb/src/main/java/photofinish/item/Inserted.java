package photofinish.item;

/** The answer to an insert: how many rows there are more. */
public record Inserted(int inserted) {}
