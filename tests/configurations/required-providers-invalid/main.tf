terraform {
  required_providers {
    aws = {
      source                = "hashicorp/terraform-provider-aws"
      version               = "~> five"
      configuration_aliases = [google.x]
    }
    google = {
      source                = 5
      version               = 5
      configuration_aliases = [google["x"], "google.y"]
    }
    azurerm = {
      sauce = "hashicorp/azurerm"
    }
    Random = {
      source = "hashicorp/random"
    }
    under_score = "1.0"
    time        = "1.0, >="
    null        = [1]
  }
}

required_providers {
}
