"""Quality of Search by language and kind of question: written probes, public sets and closed probes in one table."""
