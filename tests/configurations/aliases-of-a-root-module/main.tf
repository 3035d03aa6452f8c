terraform {
  required_providers {
    terraform = {
      source                = "terraform.io/builtin/terraform"
      configuration_aliases = [terraform.a, terraform.b]
    }
  }

  # Only a root module has a backend, and it has no caller.
  backend "local" {}
}

provider "terraform" {
  alias = "b"
}

resource "terraform_data" "a" {
  provider = terraform.a
}

resource "terraform_data" "b" {
  provider = terraform.b
}
