"""A third written day of a coding agent, like those of coding_talks.py."""

from __future__ import annotations

from support.coding_talks import Points, Talk

#: An app that loses its notes when it goes offline.
NOTES: Talk = (
    ("user", "Hey! Ready for round two? I slept on it and I think I know where to look today."),
    ("assistant", "Hello again! Yes, the emulator is running and yesterday's branch is open. Where do we begin?"),
    (
        "user",
        "With the lost notes. Hanna from support sent me a video: she writes a note in the train, the tunnel comes, "
        "and after the tunnel the note is gone. It happens on Android only, she says.",
    ),
    (
        "assistant",
        "I can reproduce it in the emulator with airplane mode. The note is written to the outbox, but after the "
        "connection is back the outbox is empty and the server never got a request.",
    ),
    ("user", "Great that you can reproduce it, that is half of the work. What happens to the outbox then?"),
    (
        "assistant",
        "Found it. The sync worker clears the outbox on every reconnect, since it believes that the server already "
        "has everything. It should only clear what the server has confirmed.",
    ),
    ("user", "Ouch. Who came up with that? No, do not tell me, I can imagine."),
    (
        "assistant",
        "The fix is small: each entry gets a confirmed flag, and only confirmed entries are deleted. Shall I also "
        "handle the case that two devices change the same note?",
    ),
    (
        "user",
        "Not now. For conflicts the newer note wins for the time being, and we revisit that when the shared notebooks "
        "come. Just make sure nothing gets lost without a trace.",
    ),
    ("assistant", "Then I write the losing version into the note's history, where users can restore it."),
    ("user", "I like that. I need to get a parcel from the door, one moment please."),
    ("assistant", "Of course, no hurry."),
    ("user", "Back. A new keyboard, much too loud for the office, my colleagues will hate me."),
    ("assistant", "Congratulations! I have finished the flag meanwhile, and the tests pass on Android 12 and 14."),
    (
        "user",
        "Super. What about Android 9? About six percent of our users still have it, according to the dashboard.",
    ),
    (
        "assistant",
        "On Android 9 the job scheduler kills the sync after ten minutes, so large attachments never make it. That was "
        "already so before our change.",
    ),
    (
        "user",
        "Okay. Then we drop support for Android 9 with version 5.0, I have wanted to do that for a while. Yusuf has to "
        "tell the users in the release notes, four weeks ahead.",
    ),
    ("assistant", "I will put a sentence about it into the draft of the release notes, so that he finds it there."),
    (
        "user",
        "Nice. Next thing, the app size. The store complains that we are above 150 MB, and I have no idea where all of "
        "that comes from. Probably the fonts.",
    ),
    (
        "assistant",
        "It is not the fonts, they are only 4 MB. The largest part is the handwriting model with 88 MB, which is "
        "bundled although only three percent of the users ever open that screen.",
    ),
    ("user", "Then it should be downloaded when somebody opens the screen for the first time, not be bundled."),
    ("assistant", "Agreed, I will move the handwriting model out and show a progress bar during the download."),
    (
        "user",
        "One condition: it must never be downloaded over mobile data without asking, our users in Brazil pay for every "
        "megabyte. I learned that the hard way.",
    ),
    ("assistant", "Understood. Over mobile data a dialog with the size comes first, and the answer is remembered."),
    ("user", "Perfect. How long do you think this will take? I have to tell the people upstairs something."),
    ("assistant", "The download is done today. The dialog needs nine translations, which usually takes a week."),
    (
        "user",
        "Right, the translations. Sofia orders them from the agency, I will write to her after lunch. The budget for "
        "this quarter is 1,200 euros, that should be enough.",
    ),
    ("assistant", "Good. The beta could then go out on 9 June, if the translations arrive in time."),
    (
        "user",
        "Let's say 11 June for the beta, the ninth is a holiday in Vienna. And please keep crash reporting switched "
        "on in it, the last beta told us nothing because it was off.",
    ),
    ("assistant", "Noted, 11 June, with crash reporting. I will prepare the build script now. Enjoy the new keyboard!"),
)  # fmt: skip
NOTES_PLANTED: Points = (
    ("clears the outbox on every reconnect",),
    ("only confirmed entries are deleted",),
    ("newer note wins",),
    ("losing version into the note's history",),
    ("job scheduler kills the sync after ten minutes",),
    ("drop support for Android 9",),
    ("Yusuf has to tell the users", "four weeks ahead"),
    ("handwriting model with 88 MB",),
    ("downloaded when somebody opens the screen",),
    ("must never be downloaded over mobile data",),
    ("Sofia orders them",),
    ("11 June for the beta",),
    ("keep crash reporting switched on",),
)
