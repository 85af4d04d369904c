-- A text that was changed is not found by what it said before: its vectors go, to be made again.
CREATE FUNCTION "forget_moment_vectors"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "moment_embeddings" WHERE "moment_id" = NEW."id";
  RETURN NULL;
END
$$;
CREATE TRIGGER "moments_forget_vectors" AFTER UPDATE OF "body" ON "moments" FOR EACH ROW
  WHEN (OLD."body" IS DISTINCT FROM NEW."body") EXECUTE FUNCTION "forget_moment_vectors"();
