provider "my_aws" {}

provider "aws" {
  alias = "x"
  count = 2
}

mock_provider "time" {
  alias = "x"
}

mock_provider "time" {
  alias = "x"
}

mock_provider "google" {
  alias = "2nd"
}

run "main" {
  providers = {
    aws = my_aws
  }
}

run "setup" {
  module {
    source = "./nowhere"
  }
}

run "other" {
  module {
    source = "./setup"
  }
}
