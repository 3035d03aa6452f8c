mock_provider "aws" {}

run "setup" {
  module {
    source = "./tests/setup"
  }
}

run "network" {
  module {
    source = "./network"
  }
}

run "main" {}
