package attacks

func schemaAttacks() []attack { return nil }
