mock_provider "random" {
  for_each = toset(["a"])
}
