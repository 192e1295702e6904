"""Two written days of a coding agent: thirty messages with thirteen decisions, tasks and causes among small talk.

A message is a role, `user` or `assistant`, and a text. `PLANTED` words stand for a point: a summary keeps the point if
it has all of them in one line.
"""

from __future__ import annotations

Talk = tuple[tuple[str, str], ...]
Points = tuple[tuple[str, ...], ...]

#: An export service that runs out of memory.
EXPORTS: Talk = (
    (
        "user",
        "Morning! Coffee is here, and I have most of the day for this. Let me know when you are set up.",
    ),
    (
        "assistant",
        "Good morning! The repository is checked out and the dependencies are installed. I have read through the "
        "export module and its tests, and I am ready when you are.",
    ),
    (
        "user",
        "So here is what has been going on. Since Tuesday the nightly export falls over for our two largest customers. "
        "The logs only say that the process was killed. Can you have a look at how the rows are read? I have the "
        "feeling that something there has grown over time, but honestly nobody has touched that file in ages.",
    ),
    (
        "assistant",
        "I went through the reader and the writer. Both look harmless at first sight, and the unit tests pass. I will "
        "run the export against the copy of the production data and watch the memory while it works.",
    ),
    ("user", "Sounds good, take your time. I will answer a few mails meanwhile."),
    (
        "assistant",
        "The run finished after eleven minutes. The exporter is killed because fetch_all loads the whole result into "
        "memory before the first row is written. For the customer with the most orders that comes to 6.2 GB, and the "
        "container has a limit of 4 GB.",
    ),
    (
        "user",
        "Ah, that makes sense. I had wondered whether it was the new driver. Okay, we will stream the rows with a "
        "server-side cursor instead of raising the memory limit, otherwise we are back here in half a year.",
    ),
    (
        "assistant",
        "Understood. A server-side cursor needs an open transaction for as long as the export runs, so the connection "
        "must not go through the pooler in transaction mode. I would like to look at the pooler's configuration first.",
    ),
    (
        "user",
        "Right, good point. It is in the infra repository, somewhere below the staging folder I think. Look there.",
    ),
    (
        "assistant",
        "I found it. The exporter goes through the pooler on port 6432, like all the other services. There is a direct "
        "port as well, which only the migrations use at the moment.",
    ),
    (
        "user",
        "Then let's connect the exporter directly on port 5433 and leave the pooler alone. I do not want to touch a "
        "setting that every team depends on, least of all this week.",
    ),
    (
        "assistant",
        "Done on the branch. The connection string comes from its own variable now, and the tests are green.",
    ),
    (
        "user",
        "Wonderful. By the way, have you seen the weather? It is supposed to snow in the afternoon, in April!",
    ),
    ("assistant", "That is unusual indeed. I hope that you have a warm coat with you."),
    (
        "user",
        "I do, luckily. Back to work. How large should the batches be that we fetch? I remember that Priya measured "
        "something like that for the importer once.",
    ),
    (
        "assistant",
        "I tried a few sizes on the copy. With 500 rows the export takes nine minutes, with 2,000 rows six, and beyond "
        "that it hardly gets any faster while the memory keeps growing.",
    ),
    (
        "user",
        "Fine, we go with 2,000 rows per batch. Please put the number into the settings, so that operations can change "
        "it without a release.",
    ),
    (
        "assistant",
        "It is in the settings as EXPORT_BATCH_ROWS, with the description and the default value.",
    ),
    (
        "user",
        "Great. One more thing before I forget it: Priya needs to add an alert for exports that take longer than "
        "30 minutes. I will tell her tomorrow at the standup, but remind me in case I don't.",
    ),
    (
        "assistant",
        "I will remind you. Shall I go on with the tests for the cursor in the meantime?",
    ),
    (
        "user",
        "Yes. And while you are at it: one of the older tests is flaky, the one about time zones. It has failed on me "
        "three times this month and I usually just run it again, which is not great.",
    ),
    (
        "assistant",
        "I looked into the flaky test. It turned out that it compares local dates with UTC dates, so it fails every "
        "evening between 22:00 and midnight. I fixed it with a frozen clock.",
    ),
    (
        "user",
        "Ha, of course. That explains why I only ever saw it when I worked late. Let us not change the date handling "
        "of the export itself though, the customers rely on local dates in the file names.",
    ),
    ("assistant", "Agreed. The file names stay as they are, and there is a test for them now."),
    (
        "user",
        "Perfect. For the release: we ship this behind the flag stream_exports and switch it on for one customer "
        "first. I would take Halden Optics, since they have complained the loudest and know what to look at.",
    ),
    (
        "assistant",
        "The flag is in place. I have also written down how to switch it off again. You still have to rotate the "
        "credentials of the export user before Friday, as the direct port uses the old ones.",
    ),
    ("user", "Oh, true. I will do that on Thursday morning. Thanks for thinking of it!"),
    (
        "assistant",
        "You are welcome. The branch is pushed, and the build is running. It usually takes a while.",
    ),
    (
        "user",
        "Good. Then I will write to Halden Optics this evening. The rollout to everybody else waits until 12 May, "
        "because the billing team freezes its systems before that.",
    ),
    (
        "assistant",
        "The build is green. I will keep an eye on the first export tonight. Enjoy the snow!",
    ),
)
EXPORTS_PLANTED: Points = (
    ("killed because fetch_all loads the whole result",),
    ("stream the rows with a server-side cursor",),
    ("must not go through the pooler",),
    ("connect the exporter directly on port 5433",),
    ("2,000 rows per batch",),
    ("EXPORT_BATCH_ROWS",),
    ("Priya needs to add an alert", "30 minutes"),
    ("compares local dates with UTC",),
    ("not change the date handling",),
    ("flag stream_exports",),
    ("rotate the credentials", "Friday"),
    ("rollout", "12 May"),
    ("write to Halden Optics this evening",),
)

#: A shop whose checkout shows wrong prices.
PRICES: Talk = (
    (
        "user",
        "Hi there, back from lunch. Are you still working on the price thing from this morning?",
    ),
    (
        "assistant",
        "Yes, I am still on it. I have a small script now that compares the price in the cart with the price on the "
        "product page for two hundred products, so we can see how often they differ.",
    ),
    (
        "user",
        "Nice. And, how bad is it? Support has had eleven tickets about it since the weekend.",
    ),
    (
        "assistant",
        "Fourteen of the two hundred differ, all of them products with a discount that started at the weekend. The "
        "product page shows the discount and the cart does not.",
    ),
    (
        "user",
        "Interesting. I would have guessed the search index, to be honest. Could it be the cache in front of the "
        "pricing service? We changed something there two weeks ago, Tomas did the review.",
    ),
    (
        "assistant",
        "You were right about the cache. The cart shows old prices because the cache key lacks the discount id, so a "
        "discounted product gets the entry that was stored before the discount began.",
    ),
    ("user", "Wow, okay. That is embarrassing, I wrote that key myself. Well, it happens."),
    (
        "assistant",
        "It is an easy thing to miss. There are two ways out: we could add the discount to the key, or we could drop "
        "the cache for carts altogether, since there are only about forty requests per second.",
    ),
    (
        "user",
        "Let's drop the cache for carts altogether. Less to go wrong, and the pricing service is bored anyway. I can "
        "explain that to Ingrid if she asks about the load.",
    ),
    ("assistant", "All right. I will remove it and run the load test against the pricing service."),
    (
        "user",
        "Cool. I have a meeting with the people from marketing now, about the newsletter. Back in half an hour.",
    ),
    (
        "assistant",
        "The load test is through. Without the cache the pricing service answers in 18 milliseconds at the median, and "
        "in 95 milliseconds for the slowest percent. That is well below what the shop allows.",
    ),
    (
        "user",
        "Very good. Marketing was fun, they want a newsletter with live prices in it. I told them that this has to "
        "wait until the summer. Anyway, what is left to do on our side?",
    ),
    (
        "assistant",
        "The orders that were placed at the old prices since Saturday. I count 37 of them, and together their "
        "customers paid 412.60 euros too much.",
    ),
    (
        "user",
        "Right. Ingrid has to approve the refunds, everything above 200 euros goes over her desk. Can you make a list "
        "that I can send to her? A plain CSV is fine.",
    ),
    (
        "assistant",
        "Here it is: refunds-2026-05.csv, with a line for each order, the difference and the date.",
    ),
    (
        "user",
        "Thanks, that looks just like what she wants. She is in Lyon today, so maybe she answers tomorrow.",
    ),
    (
        "assistant",
        "While you were away I noticed that the nightly price import logs a warning for 63 products. The import skips "
        "prices with more than two decimals, and the supplier Novak sends four.",
    ),
    (
        "user",
        "Oh no, really? How long has that been going on? We should round them to two decimals on import instead of "
        "skipping them, half up as the tax office wants it.",
    ),
    (
        "assistant",
        "Since 3 April, as far as the logs go back. I have added the rounding with a test for the borders, such as "
        "0.005 and 0.0049.",
    ),
    (
        "user",
        "Perfect, thank you. Did you have to touch the shared money library for that? I hope not.",
    ),
    (
        "assistant",
        "No, it is only in the import. The library has a function for it that nobody used so far.",
    ),
    (
        "user",
        "Good. Please never change that library without asking Benedikt first, his team does the invoices with it and "
        "they were quite angry the last time.",
    ),
    ("assistant", "Noted. I will keep away from it."),
    (
        "user",
        "Then about the deployment. I was going to say Wednesday, but there is the big sale on Thursday. We deploy on "
        "Tuesday at 7 in the morning, before the shop gets busy, and I will watch the error rate.",
    ),
    (
        "assistant",
        "That works. The migration of the discount table takes about four minutes, in which carts are read only. Tomas "
        "should be around for that, he is the only one with access to the replica.",
    ),
    (
        "user",
        "I'll ask him. He mentioned something about a dentist, but that was on Monday, I believe.",
    ),
    (
        "assistant",
        "Then it should be fine. Is there anything else that you would like me to prepare?",
    ),
    (
        "user",
        "Yes, one thing. Could you write the changelog entry? And the old endpoint /v1/cart/prices goes away with this "
        "release, the app does not call it any more since version 8.2.",
    ),
    (
        "assistant",
        "The entry is written, and the endpoint is gone together with its three tests. Have a nice evening!",
    ),
)
PRICES_PLANTED: Points = (
    ("cache key lacks the discount id",),
    ("drop the cache for carts altogether",),
    ("wait until the summer",),
    ("37 of them", "412.60"),
    ("Ingrid has to approve the refunds",),
    ("refunds-2026-05.csv",),
    ("skips prices with more than two decimals",),
    ("round them to two decimals",),
    ("Since 3 April",),
    ("never change that library without asking Benedikt",),
    ("Tuesday at 7 in the morning",),
    ("Tomas should be around",),
    ("/v1/cart/prices goes away",),
)
