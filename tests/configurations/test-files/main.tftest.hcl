mock_provider "aws" {
  alias = "by_region"
}

mock_provider "aws" {
  alias    = "plain"
  for_each = toset(["a"])
}

mock_provider "aws" {
  alias    = "only_here"
  for_each = toset(["a"])
}

run "keyed" {
  providers = {
    aws = aws.by_region["a"]
  }
}

run "collection" {
  providers = {
    aws = aws.plain
  }
}

run "other" {
  providers = {
    aws = google
  }
}
