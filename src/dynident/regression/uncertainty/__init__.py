"""How uncertain an estimate is, and losses that let gross errors weigh less."""
