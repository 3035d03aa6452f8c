"""Operations on snapshots, each a pure function that returns an Edit or raises SurgeryError."""
