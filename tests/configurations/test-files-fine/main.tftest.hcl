mock_provider "aws" {
  alias    = "by_region"
  for_each = toset(["x"])
}

provider "aws" {
}

run "all" {
  providers = {
    aws = aws
  }
}
