provider "aws" {
  region = "eu-west-1"
}

provider "google" {}

run "setup" {
  module {
    source = "./tests/setup"
  }
}

run "main" {}

run "again" {}
