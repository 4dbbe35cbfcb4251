#include "arrays.hpp"
#include "feature/text_counts.hpp"

namespace widemargin {
namespace {

struct Terms {
  std::shared_ptr<const Dictionary> dictionary;
};
struct LetterTable {
  std::shared_ptr<const Letters> letters;
};

// Views of a list of bytes; they live as long as the list and its items do.
std::vector<std::string_view> views(nb::list texts) {
  std::vector<std::string_view> out;
  out.reserve(nb::len(texts));
  for (nb::handle text : texts) {
    const auto bytes = nb::cast<nb::bytes>(text);
    out.emplace_back(bytes.c_str(), bytes.size());
  }
  return out;
}

nb::str as_text(const std::string& term) {
  PyObject* made = PyUnicode_DecodeUTF8(term.data(), static_cast<Py_ssize_t>(term.size()), "surrogatepass");
  if (!made) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

nb::list as_texts(const std::vector<std::string>& terms) {
  nb::list out;
  for (const std::string& term : terms) out.append(as_text(term));
  return out;
}

nb::tuple take(TextCounter& self) {
  std::vector<std::string> terms;
  TextRows rows;
  {
    nb::gil_scoped_release free;
    rows = self.take(terms, poll_signals);
  }
  return nb::make_tuple(as_texts(terms), to_numpy(std::move(rows.columns)), to_numpy(std::move(rows.counts)),
                        to_numpy(std::move(rows.ends)));
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<LetterTable>(m, "LetterTable", "What is known of each code point.")
      .def(
          "__init__",
          [](LetterTable* self, In<std::uint32_t> small, In<std::uint8_t> kind) {
            if (small.shape(0) != letters_end || kind.shape(0) != letters_end)
              fail("a table of letters has 1114112 entries, not " + std::to_string(small.shape(0)));
            auto made = std::make_shared<Letters>();
            made->small.assign(small.data(), small.data() + letters_end);
            made->kind.assign(kind.data(), kind.data() + letters_end);
            for (Letter& c : made->small) c = std::min(c, letters_end - 1);
            new (self) LetterTable{std::move(made)};
          },
          "small"_a.noconvert(), "kind"_a.noconvert());
  nb::class_<Terms>(m, "Terms", "A dictionary: terms as UTF-8, in the order of their numbers.")
      .def(
          "__init__",
          [](Terms* self, nb::list terms) {
            auto made = std::make_shared<Dictionary>();
            for (const std::string_view term : views(terms))
              if (made->add(term) != made->size() - 1) fail("a term of the dictionary stands there twice");
            new (self) Terms{std::move(made)};
          },
          "terms"_a);
  nb::class_<TextCounter>(m, "TextCounter", "Counts the terms of documents, fed as lists of UTF-8 texts.")
      .def(
          "__init__",
          [](TextCounter* self, const LetterTable& letters, const Terms& stop_words, int kind, bool small, Index low,
             Index high, std::optional<Terms> known, Index buckets, int threads) {
            if (low < 1 || high < low) fail("pieces of " + std::to_string(low) + " to " + std::to_string(high));
            if (buckets < 0 || buckets > 0x7fffffff) fail("hash values up to " + std::to_string(buckets));
            new (self) TextCounter(letters.letters, stop_words.dictionary,
                                   {choice(kind, TextKind::inside, "kind of text"), small, low, high},
                                   {known ? known->dictionary : nullptr, buckets}, threads);
          },
          "letters"_a, "stop_words"_a, "kind"_a, "small"_a, "low"_a, "high"_a, "known"_a.none(), "buckets"_a,
          "threads"_a)
      .def(
          "feed",
          [](TextCounter& self, nb::list documents) {
            const std::vector<std::string_view> texts = views(documents);
            nb::gil_scoped_release free;
            self.feed(texts, poll_signals);
          },
          "documents"_a)
      .def(
          "terms",
          [](TextCounter& self, nb::bytes document) {
            return as_texts(self.terms({document.c_str(), document.size()}));
          },
          "document"_a, "-> the terms of one document, as they stand there.")
      .def("take", &take, "-> terms, columns, counts, row_ends; ends the counter.");
  m.def(
      "murmur", [](nb::bytes text, std::uint32_t seed) { return murmur({text.c_str(), text.size()}, seed); }, "text"_a,
      "seed"_a, "MurmurHash3 for 32 bits.");
}

}  // namespace widemargin
