"""Why a launch is where it is, and which kernel a name means, in facts a person can check."""
