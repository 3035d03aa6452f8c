"""Operations on snapshots: each a pure function that gives another snapshot, or refuses and says why."""
