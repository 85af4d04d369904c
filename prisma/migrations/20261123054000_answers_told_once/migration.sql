-- An answer that waits for its person to decide over a call goes on afterwards: it is told of at its end, once. A proposed fact
-- waits as well, but nothing goes on after it.
DROP TRIGGER "chat_messages_note_answer" ON "chat_messages";

CREATE TRIGGER "chat_messages_note_answer" AFTER UPDATE OF "state" ON "chat_messages" FOR EACH ROW
WHEN (OLD."state" = 'streaming' AND NEW."state" = 'complete'
  AND NOT NEW."agent_calls" @? '$[*] ? (@.state == "waiting" && @.name != "remember")')
EXECUTE FUNCTION "note_answer"();
