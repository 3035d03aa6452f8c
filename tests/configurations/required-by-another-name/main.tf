terraform {
  required_providers {
    cloud = {
      source = "hashicorp/google"
    }
    mine = {
      source = "example.com/me/http"
    }
  }
}

provider "google" {
  region = "x"
}

resource "google_project" "implied" {}

resource "google_project" "named" {
  provider = cloud
}

data "http" "other_provider" {}

ephemeral "google_token" "t" {}

provider "http" {
  proxy = "x"
}
