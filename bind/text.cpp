#include "arrays.hpp"
#include "feature/html.hpp"
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

nb::str as_text(std::string_view term) {
  PyObject* made = PyUnicode_DecodeUTF8(term.data(), static_cast<Py_ssize_t>(term.size()), "surrogatepass");
  if (!made) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

// UTF-8 of a str; nothing where it holds lone surrogates, or U+0130 or U+03A3, whose small letters only Python knows.
std::optional<nb::bytes> as_utf8(nb::handle text) {
  PyObject* made = PyUnicode_AsUTF8String(text.ptr());
  if (!made) {
    PyErr_Clear();
    return std::nullopt;
  }
  nb::bytes bytes = nb::steal<nb::bytes>(made);
  const std::string_view letters(bytes.c_str(), bytes.size());
  if (letters.find("\xC4\xB0") != letters.npos || letters.find("\xCE\xA3") != letters.npos) return std::nullopt;
  return bytes;
}

// Which documents are str of ASCII letters alone. One call asks all: a call for each would take a tenth of the time
// that short texts need.
std::vector<bool> plain_texts(const nb::tuple& documents) {
  std::vector<bool> plain(nb::len(documents), false);
  nb::list texts;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const nb::handle document = documents[i];
    if (!PyUnicode_CheckExact(document.ptr())) continue;
    texts.append(document);
    places.push_back(i);
  }
  const nb::module_ builtins = nb::module_::import_("builtins");
  const nb::object is_ascii = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type)).attr("isascii");
  std::size_t k = 0;
  for (nb::handle answer : nb::list(builtins.attr("map")(is_ascii, texts)))
    plain[places[k++]] = answer.ptr() == Py_True;
  return plain;
}

// Texts of ASCII letters alone are read where they lie, UTF-8 is made of others; `prepare` makes it of what is odd.
// Copies are held for a few megabytes at a time, and all documents to the end: `prepare` may do anything to the list.
void feed(TextCounter& self, nb::list list, nb::callable prepare, bool plain) {
  const nb::tuple documents(list);
  constexpr std::size_t most = std::size_t{1} << 22;
  const std::vector<bool> read_there = plain ? plain_texts(documents) : std::vector<bool>(nb::len(documents), false);
  std::vector<std::string_view> texts;
  std::vector<nb::bytes> held;
  std::size_t size = 0;
  const auto pass_on = [&] {
    {
      nb::gil_scoped_release free;
      self.feed(texts, poll_signals);
    }
    texts.clear(), held.clear(), size = 0;
  };
  for (std::size_t i = 0; i < read_there.size(); ++i) {
    const nb::handle document = documents[i];
    if (read_there[i]) {
      Py_ssize_t length = 0;
      const char* text = PyUnicode_AsUTF8AndSize(document.ptr(), &length);
      if (!text) throw nb::python_error();
      texts.emplace_back(text, static_cast<std::size_t>(length));
      continue;
    }
    const bool is_text = plain && PyUnicode_CheckExact(document.ptr());
    std::optional<nb::bytes> bytes = is_text ? as_utf8(document) : std::nullopt;
    held.push_back(bytes ? std::move(*bytes) : nb::cast<nb::bytes>(prepare(document)));
    texts.emplace_back(held.back().c_str(), held.back().size());
    size += held.back().size();
    if (size >= most) pass_on();
  }
  pass_on();
}

nb::tuple take(TextCounter& self) {
  auto terms = std::make_shared<Dictionary>();
  TextRows rows;
  {
    nb::gil_scoped_release free;
    rows = self.take(*terms, poll_signals);
  }
  return nb::make_tuple(Terms{std::move(terms)}, to_numpy(std::move(rows.columns)), to_numpy(std::move(rows.counts)),
                        to_numpy(std::move(rows.ends)));
}

nb::dict numbered(const Terms& self) {
  nb::dict numbers;
  for (Index id = 0; id < self.dictionary->size(); ++id) {
    const nb::str term = as_text(self.dictionary->term(id));
    const nb::object number = nb::steal(PyLong_FromLongLong(id));
    if (!number.is_valid() || PyDict_SetItem(numbers.ptr(), term.ptr(), number.ptr())) throw nb::python_error();
  }
  return numbers;
}

void bind_counter(nb::module_& m) {
  nb::class_<TextCounter>(m, "TextCounter", "Counts the terms of documents, fed as lists.")
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
      .def("feed", &feed, "documents"_a, "prepare"_a, "plain"_a,
           "A list of documents: str of ASCII where `plain`, or anything that `prepare` makes UTF-8 of.")
      .def(
          "terms",
          [](TextCounter& self, nb::bytes document) {
            nb::list terms;
            for (const std::string& term : self.terms({document.c_str(), document.size()})) terms.append(as_text(term));
            return terms;
          },
          "document"_a, "-> the terms of one document, as they stand there.")
      .def("take", &take, "-> terms, columns, counts, row_ends; ends the counter.");
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
          "terms"_a)
      .def("__len__", [](const Terms& self) { return self.dictionary->size(); })
      .def("numbers", &numbered, "-> {term: number}");
  bind_counter(m);
  m.def(
      "html_text",
      [](nb::bytes html) {
        const std::string text = html_text({html.c_str(), html.size()});
        return nb::bytes(text.data(), text.size());
      },
      "html"_a, "What a reader sees of HTML, and where its links lead; entities stay.");
  m.def(
      "murmur", [](nb::bytes text, std::uint32_t seed) { return murmur({text.c_str(), text.size()}, seed); }, "text"_a,
      "seed"_a, "MurmurHash3 for 32 bits.");
}

}  // namespace widemargin
