terraform {
  required_providers {
    time = {
      source = "hashicorp/time"
    }
  }
}
