"""Recognise messages without a topic, such as `Thanks!` and `Gute Nacht`, for which nothing is searched. Pure."""

from __future__ import annotations

import regex

from everword.text.attribution_words import WORDS
from everword.text.common_words import LANGUAGES_OF

#: Maximum words of small talk.
_MOST_WORDS = 8
#: Words of which small talk has at least one.
_TALK_WORDS = """
agreed alright awesome bye cheers congrats congratulations cool exactly fantastic good goodbye goodnight great haha
hahaha hehe hm hmm k lol lovely nice no nope oh ok okay perfect please pls sorry sure thank thanks thx ty understood
welcome wonderful wow yeah yep yes yup
bitte dank danke dankeschön genau gerne gut gute guten ja klar nein prima schön super tschüss verstanden vielen
adiós buen buena buenas bueno buenos claro gracias genial perdón perfecto sí vale
bien bonne bonsoir d'accord désolé génial merci non oui parfait
bene buona buon grazie perfetto prego scusa sì
boa bom obrigada obrigado perfeito sim tchau ótimo
bedankt goed graag nee
bra god takk tack hei nei nej
да нет понятно спасибо хорошо
はい いいえ ありがとう ありがとうございます どうもありがとう どうもありがとうございます わかりました 了解 了解です
おはよう おはようございます おやすみ おやすみなさい こんばんは
好 好的 谢谢 谢谢你 多谢 晚安 早上好 早安 没问题 嗯 是的 謝謝 好吧
네 고마워 고마워요 고맙습니다 감사합니다 알겠습니다 안녕
شكرا شكراً نعم حسنا حسناً تمام धन्यवाद ठीक हाँ ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ
"""
#: Words that are small talk only next to one of the above.
_FURTHER_WORDS = """
afternoon again all are best day enough everything evening fine funny go going got i'm idea it's job just know let's
love luck makes man mate morning much my night on one problem problems right sense so sounds that's time too true very
was weekend well worries you're your
abend alles auch dir dich euch nacht morgen recht schön schönen sehr tag wochenende
días día entendido favor luego mucho muchas muchísimas noche noches por tarde tardes todo
beaucoup bientôt journée nuit plaît soirée tout très
bella giornata giorno mille molto notte sera tanto tante va tutto
dia muito noite tarde valeu
avond dag heel je nacht wel
kveld mange morgen morn natt så tusen mycket
большое вам тебе доброй ночи
جزيلا لك
"""
#: Questions about the agent's mood.
_QUESTIONS = """
how are you | how are you doing | how are you today | how's it going | how is it going | what's up | how do you do
| wie geht's | wie geht's dir | wie geht es dir | wie geht es ihnen | alles klar | qué tal | cómo estás | cómo está
| ça va | comment ça va | comment vas-tu | come va | come stai | tudo bem | como vai | hoe gaat het | hvordan går det
| 你好吗 | 最近好吗 | お元気ですか | 잘 지내
"""
_TALK = frozenset(_TALK_WORDS.split()) | frozenset(WORDS["greetings"])
_FURTHER = frozenset(_FURTHER_WORDS.split())
_WORD = regex.compile(r"[\p{L}\p{M}][\p{L}\p{M}'’-]*")
_MOOD = frozenset(" ".join(each.split()) for each in _QUESTIONS.split("|"))
#: Questions ask for something, and digits or signs may be the name of something. Emoji are neither.
_TOPIC = regex.compile(r"[\p{N}?？؟@#/\\_=<>{}\[\]]")


def is_small_talk(text: str) -> bool:
    """Return whether a message has no topic to search for, in one of the languages above."""
    words = [word.replace("’", "'").casefold() for word in _WORD.findall(text)]
    if " ".join(words) in _MOOD:
        return True
    if _TOPIC.search(text):
        return False
    if not words:
        return True
    if len(words) > _MOST_WORDS or _TALK.isdisjoint(words):
        return False
    return all(word in _TALK or word in _FURTHER or word in LANGUAGES_OF for word in words)
